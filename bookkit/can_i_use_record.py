"""What each cell was on each stack; it imports no library.

In `record.json` a distribution has how it is `made`, its letters `on` each stack, one for each
construct in the order of `instances.toml`, and what its red cells `said` on the newest one.
`causes.toml` says what is behind these.
"""

import json
import tomllib
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "evidence" / "can_i_use"
FILE = FOLDER / "record.json"
INSTANCES = tomllib.loads((FOLDER / "instances.toml").read_text(encoding="utf-8"))
CONSTRUCTS = INSTANCES["constructs"]  # what each does, by name, in the order of the table
CAUSES = tomllib.loads((FOLDER / "causes.toml").read_text(encoding="utf-8"))["cause"]


def load():
    """Return the whole record."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def stacks(known=None):
    """Return the stacks on record, sorted by their releases."""
    names = {stack for row in (known or load()).values() for stack in row["on"]}
    return sorted(names, key=lambda name: [*map(int, name.replace("+jax-", ".").split("."))])


def letters(row, stack):
    """Return the letter of each construct in a row on a stack; `?` where nobody asked."""
    return dict(zip(CONSTRUCTS, row["on"].get(stack, "").ljust(len(CONSTRUCTS), "?"), strict=False))


def table(stack):
    """Return the letters of each row that a stack has, by name."""
    return {name: letters(row, stack) for name, row in load().items() if stack in row["on"]}


def changes(before, after):
    """Yield row, construct, and both letters of each cell that is not what it was."""
    now = table(after)
    for name, then in table(before).items():
        for construct, is_ in now.get(name, {}).items():
            if "?" not in (pair := then[construct] + is_) and then[construct] != is_:
                yield name, construct, *pair
