"""What to say of a name that is not defined: a typo, or made in a cell that has not run."""

import ast
import builtins
import difflib
import json
import os
import re
from collections.abc import Iterable
from pathlib import Path

NOT_ABOVE = (
    "It is made in a cell further up that has not run since the kernel started: choose Run > "
    "Run All Above Selected Cell, then run this cell again."
)
NOT_RUN = (
    "the cell that makes it has not run since the kernel started. If that cell is further up, "
    "Run > Run All Above Selected Cell runs it."
)
UNDEFINED = re.compile(r"name '(\w+)' is not defined")
INSIDE = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
ALIKE = 0.8  # how much two names have in common, of 1, where one may be meant by the other


def advice(name: str, known: Iterable[str], above: Iterable[str] = ()) -> str:
    """Return what to do about a name that is not defined.

    Args:
        name: the name.
        known: the names that are defined there, besides Python's own.
        above: the names that cells further up make, as far as one knows.
    """
    if name in above:
        return NOT_ABOVE
    public = [one for one in {*known, *dir(builtins)} if not one.startswith("_")]
    close = difflib.get_close_matches(name, sorted(public), n=1, cutoff=ALIKE)
    return (f"Did you mean `{close[0]}`? Or " if close else "It is misspelled, or ") + NOT_RUN


def undefined(message: str) -> str:
    """Return the name that a `NameError` of another kernel is about."""
    found = UNDEFINED.search(message)
    return found[1] if found else ""


def made_by(code: str) -> set[str]:
    """Return the names that a cell makes, without those that live inside its functions."""
    rows = ["" if row.startswith(("%", "!")) else row for row in code.splitlines()]
    try:
        todo: list[ast.AST] = [ast.parse("\n".join(rows))]
    except (SyntaxError, ValueError):
        return set()
    found: set[str] = set()
    while todo:
        node = todo.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.alias):
            found.add(node.asname or node.name.partition(".")[0])
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif not isinstance(node, INSIDE):
            todo += ast.iter_child_nodes(node)
    return found


def made_above(shell, there: bool = False) -> set[str]:
    """Return the names that cells above the one that runs make, as the notebook was last saved.

    Nothing is known where the front end does not say which notebook and which cell it is.

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
        return set()
    found: set[str] = set()
    for cell in cells[:place]:
        code = "".join(cell["source"])
        runs_there = code.startswith(("%%then", "%%both"))
        runs_here = not code.startswith("%%then")
        if cell["cell_type"] == "code" and (runs_there if there else runs_here):
            found |= made_by(code)
    return found
