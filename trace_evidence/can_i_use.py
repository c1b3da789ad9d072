"""Whether a distribution is right in a construct, and the program that computes it twice."""

from __future__ import annotations

import ast
import difflib
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
    texts, lines = {"imports": ""}, source.splitlines()
    for node in ast.parse(source).body:
        first = (getattr(node, "decorator_list", None) or [node])[0].lineno
        text = "\n".join(lines[first - 1 : node.end_lineno])
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            texts["imports"] += f"{text}\n"
        elif isinstance(node, ast.Assign):
            texts[ast.unparse(node.targets[0])] = text
        else:
            texts[getattr(node, "name", "what the module says")] = text
    return texts


def program(record: dict[str, Any], distribution: str, construct: str) -> str:
    """Return the program of a cell: it prints both numbers and whether they agree."""
    parts, expression = definitions(record["source"]), record["rows"][distribution][1]
    needed, waiting = {"imports"}, names_in(expression) | {construct, "right"}
    while waiting:
        needed |= waiting
        waiting = {n for name in waiting & parts.keys() for n in names_in(parts[name])} - needed
    law = f"def law(a, b=0.5):\n    return {expression}"
    if construct in ("scipy", "float32_far"):
        name = construct.removeprefix("float32_")
        law += f"\n\n\nlaw.{name} = {record[name].get(distribution, '')!r}"
    chosen = [text for name, text in parts.items() if name in needed]
    return "\n\n\n".join([*chosen, law, SHOWN.format(construct=construct)])


def cause(
    causes: list[dict[str, Any]], distribution: str, construct: str, letter: str
) -> dict[str, Any]:
    """Return the table that explains a red cell, or an empty one."""
    for table in causes:
        named = any(
            fnmatch.fnmatchcase(distribution, pattern.replace("[", "[[]"))
            for pattern in table["rows"]
        )
        fits = any(fnmatch.fnmatchcase(construct, pattern) for pattern in table["constructs"])
        if named and fits and letter in table.get("letters", "WX"):
            return table
    return {}


def also(called: dict[str, str], name: str) -> str:
    """Return what else a row or a construct is called."""
    fits = (text for key, text in called.items() if fnmatch.fnmatchcase(name, key))
    return ", ".join(fits)


def bare(text: str) -> str:
    """Return a name in small letters, without punctuation."""
    return "".join(filter(str.isalnum, text.lower()))


def near(word: str, names: Iterable[str], called: dict[str, str]) -> list[str]:
    """Return the names that a word begins, or those that are also called so, or in part."""
    begun = [name for name in names if bare(name).startswith(bare(word))]
    return begun or [
        name
        for name in names
        if any(
            bare(part).startswith(bare(word))
            for part in (*also(called, name).split(","), *name.split("_"))
        )
    ]


def meant(typed: str, names: Iterable[str]) -> str:
    """Return which names a mistyped one may stand for, or where all are listed."""
    bare_names = {bare(part): part for name in names for part in (name, *name.split("_"))}
    close = difflib.get_close_matches(bare(typed), bare_names, n=3, cutoff=0.6)
    these = ", ".join(bare_names[name] for name in close)
    if these:
        return f"not known here; did you mean {these}?"
    return "not known here; without names, all are listed."


def answer(distribution: str, construct: str) -> tuple[str, bool]:
    """Return what the record has of a distribution, or of some of its cells, and if it has any."""
    record = triage.data()["can_i_use"]
    head = f"NumPyro {record['stack'].replace('+jax-', ', JAX ')}"
    if not distribution:
        return "\n".join([f"{head}: these are known.", *record["rows"]]), True
    names = near(distribution, record["rows"], record["also"])
    names = [name for name in names if bare(name) == bare(distribution)] or names
    constructs = near(construct, record["constructs"], record["also"])
    for typed, matches, names_of in (
        (distribution, names, record["rows"]), (construct, constructs, record["constructs"]),
    ):  # fmt: skip
        if not matches:
            why = record["left_out"].get(typed)
            if typed == distribution and near(typed, record["constructs"], record["also"]):
                why = f"this is a construct; name a distribution before it, as in MVN {typed}"
            return f"{typed}: {why}." if why else f"{typed}: {meant(typed, names_of)}", False
    lines = [f"{head}:"]
    for name in names:
        letters, _, details = record["rows"][name]
        for key in constructs:
            letter = letters[list(record["constructs"]).index(key)]
            if construct or letter in "WX":
                numbers = f" ({details[key]})" if details.get(key) else ""
                lines.append(f"{name} {key}: {VERDICTS[letter]}{numbers}")
                lines.append(f"  {record['constructs'][key]}")
                why = cause(record["causes"], name, key, letter) if letter in "WX" else {}
                lines += [f"  trace-evidence explain {why['case']}"] if "case" in why else []
                lines += [f"  {why['note']}"] if "note" in why else []
    if len(names) == len(constructs) == 1 or bare(constructs[0]) == bare(construct) != "scan":
        lines += ["", program(record, names[0], constructs[0])]
    elif construct:
        lines.append("Name one of these constructs to see its program.")
    elif len(lines) == 1:
        lines = [f"{names[0]}: nothing that was measured is wrong ({head})."]
    return "\n".join(lines), True
