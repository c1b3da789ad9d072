"""What each cell of *Can I use it?* was on each stack; it imports no library.

A line of `evidence/rows/cell.jsonl` is of one distribution on one stack: how it is `made`, its
`letters`, one for each construct in the order of `instances.toml`, and on the newest stack what
each cell `said`. `causes.toml` says what is behind the red ones.
"""

import json
import tomllib
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "evidence" / "can_i_use"
FILE = FOLDER.parent / "rows" / "cell.jsonl"
INSTANCES = tomllib.loads((FOLDER / "instances.toml").read_text(encoding="utf-8"))
CONSTRUCTS = INSTANCES["constructs"]  # what each does, by name, in the order of the table
CAUSES = tomllib.loads((FOLDER / "causes.toml").read_text(encoding="utf-8"))["cause"]


def cells():
    """Return how each distribution is `made`, its letters `on` each stack, what cells `said`."""
    found: dict = {}
    for row in map(json.loads, FILE.read_text(encoding="utf-8").splitlines()):
        one = found.setdefault(row["program"], {"made": row["made"], "on": {}, "said": {}})
        one["on"][row["stack"]] = row["letters"]
        one["said"].update(row.get("said", {}))
    return found


def write(known):
    """Write what `load` returns, by distribution and stack."""
    last, lines = stacks(known)[-1], []
    for name in sorted(known):
        row = known[name]
        for stack in sorted(row["on"], key=order):
            line = {
                "program": name,
                "stack": stack,
                "made": row["made"],
                "letters": row["on"][stack],
            }
            line |= {"said": row["said"]} if stack == last else {}
            lines.append(json.dumps(line, ensure_ascii=False) + "\n")
    FILE.write_text("".join(lines), encoding="utf-8")


def order(stack):
    """Sort key of a stack's name, by its releases."""
    return [*map(int, stack.replace("+jax-", ".").split("."))]


def stacks(known=None):
    """Return the stacks on record, sorted by their releases."""
    names = {stack for row in (known or cells()).values() for stack in row["on"]}
    return sorted(names, key=order)


def letters(row, stack):
    """Return the letter of each construct in a row on a stack; `?` where nobody asked."""
    return dict(zip(CONSTRUCTS, row["on"].get(stack, "").ljust(len(CONSTRUCTS), "?"), strict=False))


def letters_on(stack):
    """Return the letters of each row that a stack has, by name."""
    return {name: letters(row, stack) for name, row in cells().items() if stack in row["on"]}


def changes(before, after):
    """Yield row, construct, and both letters of each cell that is not what it was."""
    now = letters_on(after)
    for name, then in letters_on(before).items():
        for construct, is_ in now.get(name, {}).items():
            if "?" not in (pair := then[construct] + is_) and then[construct] != is_:
                yield name, construct, *pair
