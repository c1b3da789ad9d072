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
    if construct == "scipy":
        law += f"\n\n\nlaw.scipy = {known['scipy'].get(row, '')!r}"
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


def near(word: str, names: Iterable[str]) -> list[str]:
    """Return the name that a word is, or those that it begins; capitals do not count."""
    begun = [name for name in names if name.lower().startswith(word.lower())]
    return [name for name in begun if len(name) == len(word)] or begun


def answer(row: str, construct: str) -> tuple[str, bool]:
    """Return what the record has of a distribution, or of one of its cells, and if it has any."""
    known = triage.data()["can_i_use"]
    head = f"NumPyro {known['stack'].replace('+jax-', ', JAX ')}"
    if not row:
        return "\n".join([f"{head}: these are known.", *known["rows"]]), True
    rows, constructs = near(row, known["rows"]), near(construct, known["constructs"])
    if not rows or not constructs:
        why = known["left_out"].get(
            row, "the record has no such cell; without names, all are listed"
        )
        return f"{row} {construct}: {why}.", False
    lines = []
    for name in rows:
        letters, _, red = known["rows"][name]
        for key in constructs:
            letter = letters[list(known["constructs"]).index(key)]
            if construct or letter in "WX":
                lines.append(f"{name} {key}: {VERDICTS[letter]} ({head})")
                lines.append(f"  {known['constructs'][key]}")
                why = cause(known["causes"], name, key, letter) if letter in "WX" else {}
                lines += [f"  {red[key]}"] if key in red else []
                lines += [f"  trace-evidence explain {why['case']}"] if "case" in why else []
                lines += [f"  {why['note']}"] if "note" in why else []
    if construct:
        lines += ["", program(known, rows[0], constructs[0])]
    return "\n".join(lines) or f"{rows[0]}: nothing that was measured is wrong ({head}).", True
