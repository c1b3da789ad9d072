"""What ``explain`` prints: what the book says of a chapter, a case or an everyday error."""

from __future__ import annotations

import difflib
import shutil
import sys
import textwrap
from typing import Any

from . import avoid
from . import triage as rules

Entry = dict[str, Any]


def explain(name: str | None) -> int:
    """Print what the book says of a chapter, a case or an everyday error.

    Args:
        name: its name; none lists the chapters and cases.

    Returns:
        0, or 1 when nothing has that name.
    """
    avoid.warn()
    entries = rules.data()["explain"]
    if name is None:
        print(listed(entries), "trace-evidence explain NAME prints one of them.", sep="\n\n")
    elif name in entries:
        print(described(entries[name]))
    else:
        meant = ", ".join(near(name, entries))
        hint = f"did you mean {meant}?" if meant else "without a name, explain lists all."
        print(f"error: nothing is called {name!r}: {hint}", file=sys.stderr)
        return 1
    return 0


def near(slug: str, names: dict[str, Entry]) -> list[str]:
    """Return the names that a mistyped one may stand for, at most four."""
    typed = slug.lower().replace("_", "-").replace(" ", "-")
    alike = difflib.get_close_matches(typed, names, n=4, cutoff=0.6)
    parts = [other for other in names if typed in other]
    return list(dict.fromkeys([*alike, *parts]))[:4]


def listed(entries: dict[str, Entry]) -> str:
    """Return the chapters and families, each with its cases below it."""
    groups: dict[str, list[str]] = {}
    for name, entry in entries.items():
        if entry["kind"] != "everyday":
            line = f"{name:<32}{entry['title']}"
            groups.setdefault(entry["family"] or name, []).append(line)
    return "\n\n".join("\n  ".join(lines) for lines in groups.values())


def described(entry: Entry) -> str:
    """Return one entry in words: in short, where the page is, and its text."""
    width = min(shutil.get_terminal_size().columns, 100)
    everyday = entry["kind"] == "everyday"
    kinds = {"everyday": " (everyday error)", "case": f" ({entry.get('how')})"}
    names = {"symptom": "what", "cure": "try first"} if everyday else {}
    lines = []
    for key in ("symptom", "cause", "cure", "versions"):
        if entry[key]:
            text = f"{names.get(key, key):<10}{entry[key]}"
            lines += textwrap.wrap(
                text, width, subsequent_indent=" " * 10,
                break_long_words=False, break_on_hyphens=False,
            )  # fmt: skip
    shown = entry["shows"].splitlines()  # the numbers of a silent failure
    lines += [f"{'' if number else 'shows':<10}{line}" for number, line in enumerate(shown)]
    lines.append(f"{'page':<10}{rules.address(entry['page'])}")
    lines += [f"{'printed':<10}{title}: {rules.address(page)}" for title, page in entry["printed"]]
    parts = [entry["title"] + kinds.get(entry["kind"], ""), "\n".join(lines), entry["text"].strip()]
    return "\n\n".join(part for part in parts if part)
