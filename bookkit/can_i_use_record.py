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
CONSTRUCTS = INSTANCES["constructs"]  # what each does, by name, in the order of the letters
HEADS = INSTANCES["head"]  # the constructs whose verdict the distribution decides, by group
CAUSES = tomllib.loads((FOLDER / "causes.toml").read_text(encoding="utf-8"))["cause"]


def cells():
    """Return how each distribution is `made`, its letters `on` each stack, what cells `said`."""
    by_name: dict = {}
    for row in map(json.loads, FILE.read_text(encoding="utf-8").splitlines()):
        cell = by_name.setdefault(row["program"], {"made": row["made"], "on": {}, "said": {}})
        cell["on"][row["stack"]] = row["letters"]
        cell["said"].update(row.get("said", {}))
    return by_name


def write(by_name):
    """Write what `cells` returns, by distribution and stack."""
    last, lines = stacks(by_name)[-1], []
    for name in sorted(by_name):
        cell = by_name[name]
        for stack in sorted(cell["on"], key=order):
            line = {
                "program": name,
                "stack": stack,
                "made": cell["made"],
                "letters": cell["on"][stack],
            }
            line |= {"said": cell["said"]} if stack == last else {}
            lines.append(json.dumps(line, ensure_ascii=False) + "\n")
    FILE.write_text("".join(lines), encoding="utf-8")


def order(stack):
    """Sort key of a stack's name, by its releases."""
    return [*map(int, stack.replace("+jax-", ".").split("."))]


def stacks(by_name=None):
    """Return the stacks on record, sorted by their releases."""
    names = {stack for cell in (by_name or cells()).values() for stack in cell["on"]}
    return sorted(names, key=order)


def letters(cell, stack):
    """Return the letter of each construct in a row on a stack; `?` where nobody asked."""
    letters = cell["on"].get(stack, "").ljust(len(CONSTRUCTS), "?")
    return dict(zip(CONSTRUCTS, letters, strict=False))


def letters_on(stack):
    """Return the letters of each row that a stack has, by name."""
    return {name: letters(cell, stack) for name, cell in cells().items() if stack in cell["on"]}


def changes(before, after):
    """Yield row, construct, and both letters of each cell that is not what it was."""
    now = letters_on(after)
    for name, then in letters_on(before).items():
        for construct, is_ in now.get(name, {}).items():
            if "?" not in (pair := then[construct] + is_) and then[construct] != is_:
                yield name, construct, *pair
