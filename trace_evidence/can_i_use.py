"""Whether a distribution is right in a construct, and the program that computes it twice."""

from __future__ import annotations

import ast
import fnmatch
from collections.abc import Iterable
from typing import Any

from . import triage

VERDICTS = {
    "r": "right", "W": "wrong", "X": "raises", "-": "does not apply", "?": "not measured"
}  # fmt: skip
SHOWN = """\
got, expected, *tolerance = {construct}(law)
print("got     ", got)
print("expected", expected)
print("right" if right(got, expected, *tolerance) else "wrong")
"""


def names_in(text: str) -> set[str]:
    """Return the names that a piece of Python uses."""
    return {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}


def definitions(source: str) -> dict[str, str]:
    """Return the imports of a module, and each of its definitions by name."""
    found, lines = {"imports": ""}, source.splitlines()
    for node in ast.parse(source).body:
        first = (getattr(node, "decorator_list", None) or [node])[0].lineno
        text = "\n".join(lines[first - 1 : node.end_lineno])
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found["imports"] += f"{text}\n"
        elif isinstance(node, ast.Assign):
            found[ast.unparse(node.targets[0])] = text
        else:
            found[getattr(node, "name", "what the module says")] = text
    return found


def program(known: dict[str, Any], row: str, construct: str) -> str:
    """Return the program of a cell: it prints both numbers and whether they agree."""
    parts, expression = definitions(known["source"]), known["rows"][row][1]
    needed, waiting = {"imports"}, names_in(expression) | {construct, "right"}
    while waiting:
        needed |= waiting
        waiting = {n for name in waiting & parts.keys() for n in names_in(parts[name])} - needed
    law = f"def law(a, b=0.5):\n    return {expression}"
    if construct in ("scipy", "float32_far"):
        name = construct.removeprefix("float32_")
        law += f"\n\n\nlaw.{name} = {known[name].get(row, '')!r}"
    chosen = [text for name, text in parts.items() if name in needed]
    return "\n\n\n".join([*chosen, law, SHOWN.format(construct=construct)])


def cause(causes: list[dict[str, Any]], row: str, construct: str, letter: str) -> dict[str, Any]:
    """Return the table that explains a red cell, or an empty one."""
    for one in causes:
        named = any(fnmatch.fnmatchcase(row, rows.replace("[", "[[]")) for rows in one["rows"])
        fits = any(fnmatch.fnmatchcase(construct, pattern) for pattern in one["constructs"])
        if named and fits and letter in one.get("letters", "WX"):
            return one
    return {}


def also(called: dict[str, str], name: str) -> str:
    """Return what else a row or a construct is called."""
    fits = (text for key, text in called.items() if fnmatch.fnmatchcase(name, key))
    return ", ".join(fits)


def bare(text: str) -> str:
    """Return a name in small letters, without punctuation."""
    return "".join(filter(str.isalnum, text.lower()))


def near(word: str, names: Iterable[str], called: dict[str, str]) -> list[str]:
    """Return the names that a word begins, or those that are also called so."""
    begun = [name for name in names if bare(name).startswith(bare(word))]
    return begun or [
        name for name in names if bare(word) in map(bare, also(called, name).split(","))
    ]


def answer(row: str, construct: str) -> tuple[str, bool]:
    """Return what the record has of a distribution, or of some of its cells, and if it has any."""
    known = triage.data()["can_i_use"]
    head = f"NumPyro {known['stack'].replace('+jax-', ', JAX ')}"
    if not row:
        return "\n".join([f"{head}: these are known.", *known["rows"]]), True
    rows = near(row, known["rows"], known["also"])
    rows = [name for name in rows if bare(name) == bare(row)] or rows
    constructs = near(construct, known["constructs"], known["also"])
    if not rows or not constructs:
        why = known["left_out"].get(
            row, "the record has no such cell; without names, all are listed"
        )
        return f"{row} {construct}: {why}.", False
    lines = [f"{head}:"]
    for name in rows:
        letters, _, said = known["rows"][name]
        for key in constructs:
            letter = letters[list(known["constructs"]).index(key)]
            if construct or letter in "WX":
                numbers = f" ({said[key]})" if said.get(key) else ""
                lines.append(f"{name} {key}: {VERDICTS[letter]}{numbers}")
                lines.append(f"  {known['constructs'][key]}")
                why = cause(known["causes"], name, key, letter) if letter in "WX" else {}
                lines += [f"  trace-evidence explain {why['case']}"] if "case" in why else []
                lines += [f"  {why['note']}"] if "note" in why else []
    if len(rows) == len(constructs) == 1 or bare(constructs[0]) == bare(construct) != "scan":
        lines += ["", program(known, rows[0], constructs[0])]
    elif construct:
        lines.append("Name one of these constructs to see its program.")
    elif len(lines) == 1:
        lines = [f"{rows[0]}: nothing that was measured is wrong ({head})."]
    return "\n".join(lines), True
