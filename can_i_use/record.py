"""What each cell was on each stack, and what programs are made of; it imports no library.

In `record.json` a distribution has how it is `made`, its letters `on` each stack, one for each
construct in the order of `instances.toml`, and what its red cells `said` on the newest one.
`causes.toml` says what is behind these.
"""

import ast
import json
import tomllib
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
FILE = FOLDER / "record.json"


@cache
def instances():
    """Return what `instances.toml` has."""
    return tomllib.loads((FOLDER / "instances.toml").read_text(encoding="utf-8"))


def constructs():
    """Return what each construct does, by name, in the order of the table."""
    return instances()["constructs"]


@cache
def causes():
    """Return the tables of `causes.toml`."""
    return tomllib.loads((FOLDER / "causes.toml").read_text(encoding="utf-8"))["cause"]


def load():
    """Return the whole record."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def save(known):
    """Write the whole record."""
    FILE.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")


def order(stack):
    """Return a stack's place: its releases as numbers."""
    return [int(word) for word in stack.replace("+jax-", ".").split(".")]


def stacks():
    """Return the stacks on record, the newest last."""
    return sorted({stack for row in load().values() for stack in row["on"]}, key=order)


def letters(row, stack):
    """Return the letter of each construct in a row on a stack; `?` where nobody asked."""
    return dict(zip(constructs(), row["on"].get(stack, "").ljust(len(constructs()), "?")))


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


@cache
def parts():
    """Return what programs are made of: the imports, then definitions by name."""
    found = {"imports": ""}
    for module in ("ways", "constructs"):
        text = (FOLDER / f"{module}.py").read_text(encoding="utf-8")
        for node in ast.parse(text).body:
            first = min([node, *getattr(node, "decorator_list", ())], key=lambda one: one.lineno)
            source = "\n".join(text.splitlines()[first.lineno - 1 : node.end_lineno])
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                found[node.name] = source
            elif isinstance(node, ast.Assign):
                found[ast.unparse(node.targets[0])] = source
            elif isinstance(node, ast.Import | ast.ImportFrom) and module == "ways":
                found["imports"] += f"{source}\n"
    return found
