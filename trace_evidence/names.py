"""What to say of a name that is not defined: a typo, or made in a cell that has not run."""

import ast
import builtins
import difflib
import json
import os
import re
from collections.abc import Iterable
from pathlib import Path

ABOVE, BELOW, OTHER = "above", "below", "other"  # where a name is made, from the cell that runs
SAID = {
    ABOVE: "It is made in a cell further up that has not run since the kernel started: choose Run "
    "> Run All Above Selected Cell, then run this cell again.",
    BELOW: "It is made in this cell or further down alone: make it before you read it.",
    OTHER: "A cell makes it, but on the other stack alone, which has its own variables.",
}
NOWHERE = (
    "No cell of the notebook, as it was last saved, makes it: it is misspelled, or the cell that "
    "makes it is still empty."
)
UNKNOWN = (
    "the cell that makes it has not run since the kernel started. If that cell is further up, "
    "Run > Run All Above Selected Cell runs it."
)
UNDEFINED = re.compile(r"name '(\w+)' is not defined")
INSIDE = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
ALIKE = 0.8  # how much two names have in common, of 1, where one may be meant by the other


def advice(name: str, known: Iterable[str], made: dict[str, str] | None = None) -> str:
    """Return what to do about a name that is not defined.

    Args:
        name: the name.
        known: the names that are defined there, besides Python's own.
        made: where cells of the notebook make which names, or None where nobody knows.
    """
    if made and name in made:
        return SAID[made[name]]
    there = {other for other, place in (made or {}).items() if place != OTHER}
    public = [other for other in {*known, *there, *dir(builtins)} if not other.startswith("_")]
    close = difflib.get_close_matches(name, sorted(public), n=1, cutoff=ALIKE)
    meant = f"Did you mean `{close[0]}`? " if close else ""
    if made is None:
        return meant + ("Or " if close else "It is misspelled, or ") + UNKNOWN
    return meant + NOWHERE


def undefined(message: str) -> str:
    """Return the name that a `NameError` of another kernel is about."""
    match = UNDEFINED.search(message)
    return match[1] if match else ""


def made_by(code: str) -> set[str]:
    """Return the names that a cell makes, without those that live inside its functions."""
    lines = ["" if line.startswith(("%", "!")) else line for line in code.splitlines()]
    try:
        todo: list[ast.AST] = [ast.parse("\n".join(lines))]
    except (SyntaxError, ValueError):
        return set()
    names: set[str] = set()
    while todo:
        node = todo.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.alias):
            names.add(node.asname or node.name.partition(".")[0])
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif not isinstance(node, INSIDE):
            todo += ast.iter_child_nodes(node)
    return names


def made_in_notebook(shell, there: bool = False) -> dict[str, str] | None:
    """Return the names that the cells of the notebook make, as it was last saved, and where.

    Nothing is known, and so None is returned, where the front end does not say which notebook and
    which cell it is, or a cell imports all names of a module.

    Args:
        shell: IPython's.
        there: whether the names on the stack of August 2024 are asked for.
    """
    try:
        path = shell.user_ns.get("__vsc_ipynb_file__") or os.environ["JPY_SESSION_NAME"]
        running = shell.kernel.get_parent()["metadata"]["cellId"]
        cells = json.loads(Path(path).read_text(encoding="utf-8"))["cells"]
        place = [cell.get("id") for cell in cells].index(running)
    except (AttributeError, KeyError, OSError, TypeError, ValueError):
        return None
    places: dict[str, str] = {}
    for at, cell in enumerate(cells):
        code = "".join(cell["source"])
        runs_there = code.startswith(("%%then", "%%both"))
        runs_here = not code.startswith("%%then")
        if cell["cell_type"] != "code":
            continue
        where = ABOVE if at < place else BELOW
        for name in made_by(code):
            if runs_there if there else runs_here:
                places[name] = min(where, places.get(name, where))
            else:
                places.setdefault(name, OTHER)
    return None if "*" in places else places
