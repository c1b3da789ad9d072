"""Write the figures of `paper/paper.md`, the paper for JOSE: `python -m bookkit.publish`.

What the paper says in numbers comes from the pages, the records and the matrix. It stands between
two marks in the paper; the suite holds it to them.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter

from . import casebook, pages, records, versions

FILE = pages.ROOT / "paper" / "paper.md"
BEGIN, END = "<!-- figures: `make records` writes them -->", "<!-- end of the figures -->"
BETWEEN = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.S)


def reports() -> dict[str, int]:
    """Return how many public reports judge the triage, by file."""
    folder = pages.ROOT / "tests" / "reports"
    texts = {name: (folder / f"{name}.toml").read_text() for name in ("tuning", "held-out")}
    return {name: len(tomllib.loads(text)["report"]) for name, text in texts.items()}


def figures() -> str:
    """Return the table of the paper, as Markdown."""
    cases = list(records.load().values())
    kinds, whose = Counter(c.kind for c in cases), Counter(c.whose for c in cases)
    searched = sum(any("not_reported" in row for row in case.upstream) for case in cases)
    notebooks = pages.find_notebooks()
    chapters = sorted(pages.FAILURES.glob("*.md"))
    asked = sum(path.read_text().count("\n```{exercise-start}") for path in chapters)
    cells = sum(path.read_text().count("\n```{code-cell}") for path in notebooks)
    record, judged = versions.load(), reports()
    today = sum(map(casebook.fails_today, cases))
    oldest, newest = (versions.rows()[end]["pins"] for end in (0, -1))
    span = ", ".join(
        f"{versions.TITLES[name]} {oldest[name]} to {newest[name]}" for name in ("jax", "numpyro")
    )
    rows = {
        "Executed pages, with their code cells": f"{len(notebooks)}, {cells}",
        "Chapters, with their exercises": f"{len(chapters)}, {asked}",
        "Cases, of which silent": f"{len(cases)}, {kinds['silent']}",
        "Cases that occur on the newest measured releases": str(today),
        "Cases by origin: defect of a library, documented limit, the reader's program": (
            f"{whose['library']}, {whose['documented']}, {whose['yours']}"
        ),
        "Cases for which a search of the trackers found no report": str(searched),
        "Programs measured, on stacks": f"{len(record['failures'])}, {len(record['rows'])}",
        "Releases that the stacks span": span,
        "Public error reports that judge the triage, of which held out": (
            f"{sum(judged.values())}, {judged['held-out']}"
        ),
    }
    lines = [f"| {what} | {number} |" for what, number in rows.items()]
    return "\n".join([BEGIN, "", "| What | How many |", "|---|---|", *lines, "", END])


def main() -> None:
    """Write the figures where they are not as the pages have them."""
    text = FILE.read_text()
    wanted = BETWEEN.sub(lambda _: figures(), text)
    if wanted != text:
        FILE.write_text(wanted)
        print(f"{FILE.relative_to(pages.ROOT)} has new figures; commit it with the pages.")


if __name__ == "__main__":
    main()
