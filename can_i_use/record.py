"""What each cell was on each stack, and what programs are made of; it imports no library.

A file of `record/` is a stack. A line of it is a distribution: a letter for each construct, in the
order of `instances.toml`, the distribution's name, and how it was made. Below, what each red cell
said. `causes.toml` says what is behind the red ones.
"""

import ast
import tomllib
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent


@cache
def instances():
    """Return what `instances.toml` has."""
    return tomllib.loads((FOLDER / "instances.toml").read_text(encoding="utf-8"))


def constructs():
    """Return what each construct does, by name, in the order of the table."""
    return instances()["constructs"]


def stacks():
    """Return the stacks on record, the newest last."""
    return sorted((path.stem for path in (FOLDER / "record").glob("*.txt")), key=order)


def order(stack):
    """Return a stack's place: its releases as numbers."""
    words = stack.replace("+jax-", ".").split(".")
    return [int(word) for word in words if word.isdigit()]


def read(stack):
    """Return the rows of a stack: letters and expression of each, and what red cells said."""
    rows, said, columns = {}, {}, []
    file = FOLDER / "record" / f"{stack}.txt"
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
        if line.startswith("  "):
            name, construct, words = line.split(None, 2)
            said[name, construct] = words
        elif line.startswith("# columns: "):
            columns = line.split()[2:]
        elif not line.startswith("#"):
            letters, name, expression = line.split(None, 2)
            known = dict(zip(columns, letters.replace("|", "")))
            rows[name] = "".join(known.get(one, "?") for one in constructs()), expression
    return rows, said


def changes(before, after):
    """Yield a line for each cell that is not on one stack what it was on another."""
    then, now = read(before)[0], read(after)[0]
    for name in now.keys() & then.keys():
        for construct, was, is_ in zip(constructs(), then[name][0], now[name][0]):
            if was != is_ and "?" not in (was, is_):
                yield f"{name} {construct}: {was} on {before}, {is_} on {after}"


def write(stack, rows, said, head):
    """Write the file of a stack.

    Args:
        stack: its name.
        rows: letters and expression by name.
        said: what red cells said, by name and construct.
        head: how it was measured.
    """
    lines = [f"# {head}", f"# columns: {' '.join(constructs())}"]
    for name, (letters, expression) in rows.items():
        groups = "|".join(letters[i : i + 10] for i in range(0, len(letters), 10))
        lines.append(f"{groups} {name} {expression}")
    lines += [f"  {name} {construct} {words}" for (name, construct), words in sorted(said.items())]
    file = FOLDER / "record" / f"{stack}.txt"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


@cache
def causes():
    """Return the tables of `causes.toml`."""
    return tomllib.loads((FOLDER / "causes.toml").read_text(encoding="utf-8"))["cause"]


@cache
def parts():
    """Return what programs are made of: imports, then definitions by name, and the constructs."""
    found, calls = {}, {}
    for module in ("ways", "constructs"):
        text = (FOLDER / f"{module}.py").read_text(encoding="utf-8")
        for node in ast.parse(text).body:
            name = getattr(node, "name", "") or getattr(getattr(node, "targets", [0])[0], "id", "")
            first = min([node, *getattr(node, "decorator_list", ())], key=lambda one: one.lineno)
            source = "\n".join(text.splitlines()[first.lineno - 1 : node.end_lineno])
            table = getattr(node, "value", None)
            if name == "CONSTRUCTS" and isinstance(table, ast.Dict):
                pairs = zip(table.keys, table.values, strict=True)
                calls = {
                    getattr(key, "value", ""): ast.get_source_segment(text, call)
                    for key, call in pairs
                }
            elif name:
                found[name] = source
            elif module == "ways" and source.startswith(("import", "from")):
                found["imports"] = f"{found.get('imports', '')}{source}\n"
    return found, calls
