"""Print how well both doors answer what people wrote: reports of errors, and doubts in plain words.

The rules are written against one part. The other is held out, and only counted.
`tests/reports/README.md` says what a label means.

Usage: make run M=tools.score
"""

import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

from bookkit import entries, pages, publish
from trace_evidence import symptoms, triage

REPORTS = pages.ROOT / "tests" / "reports"
PARTS = ("tuning", "held-out")
# The older reports call any mix-up of axes by a chapter's name; these kinds are such mix-ups.
AXES = ("plates", "shapes", "distributions", "inference", "batches")
# Entries that were written after labels which name their nearest kin.
LATER = {
    "parallel-truncated-normal": "leaked-tracer",
    "autoguide-under-vmap": "leaked-tracer",
    "type-check": "jaxtyped-missing",
    "framework-key": "framework-key-shape",
}
Report = dict[str, Any]


class Row(NamedTuple):
    """How one report or doubt was answered."""

    labelled: bool  # the book has an answer
    well: bool  # a right answer is among the first, or none of ours where none is right
    claimed: bool = False  # a chapter or a case is named, and it is neither


@cache
def read(part: str) -> list[Report]:
    """Return the reports of one part, `tuning` or `held-out`, in the order of its file."""
    return tomllib.loads((REPORTS / f"{part}.toml").read_text())["report"]


def answer(report: Report) -> str:
    """Return the label of a report; empty where no answer is right."""
    return str(report.get("answer", report.get("failure", "")))


def accepted(report: Report) -> set[str]:
    """Return the names that are right answers; a chapter's stands for its cases too."""
    also = report.get("also", [])
    names = {answer(report), *([also] if isinstance(also, str) else also)} - {""}
    chapters = names & set(entries.chapters())
    if "failure" in report and "mvn-inside-scan" in chapters:
        names |= {entry.name for entry in entries.errors().values() if entry.topic in AXES}
    names |= {LATER[name] for name in names & set(LATER)}
    return names | {case.name for case in entries.cases().values() if case.family in chapters}


def errors(reports: Iterable[Report]) -> Iterator[Row]:
    """Yield how the triage answers some reports."""
    for report in reports:
        found = triage.triage(report["lines"]).findings
        right, label = accepted(report), answer(report)
        claims = any(one.kind != "everyday" and one.id not in right for one in found)
        well = bool(right & {one.id for one in found[:2]}) if label else not claims
        claimed = claims and not right & {*entries.chapters(), *entries.cases()}
        yield Row(bool(label), well, claimed)


def labels() -> dict[str, set[str]]:
    """Return the phrases of `book/doubts.toml` with their right answers, if the book has any."""
    known = publish.doubts()
    found: dict[str, set[str]] = {
        text: set() for rows in known["elsewhere"].values() for text in rows
    }
    for name, rows in known["says"].items():
        for text in rows:
            found.setdefault(text, set()).add(name)
    return found


def by_fifths() -> Iterator[Row]:
    """Yield how each phrase of `book/doubts.toml` is answered without it and a fifth of others."""
    right, known_entries = labels(), entries.load()
    for fifth in range(5):
        asked = list(right)[fifth::5]
        known = publish.symptoms(without=asked)
        for text in asked:
            found = {name for name, _ in symptoms.rank(text, known, known_entries)}
            well = bool(found & right[text]) if right[text] else not found
            yield Row(bool(right[text]), well)


def doubts() -> Iterator[Row]:
    """Yield how the second door answers the doubts that are held out."""
    for row in tomllib.loads((REPORTS / "doubts.toml").read_text())["doubt"]:
        found = {match.id for match in symptoms.search(row["says"])}
        well = bool(found & set(row["answer"])) if row["answer"] else not found
        yield Row(bool(row["answer"]), well)


def share(rows: Iterable[Row], labelled: bool) -> str:
    """Return how many of those that have an answer, or of those that have none, went well."""
    well = [row.well for row in rows if row.labelled == labelled]
    return f"{sum(well)} of {len(well)}"


def main() -> None:
    """Print how many of each part went well."""
    parts = {
        "errors, tuning": errors(read("tuning")),
        "errors, held out": errors(read("held-out")),
        "doubts, tuning, by fifths": by_fifths(),
        "doubts, held out": doubts(),
    }
    print(f"{'':<30}{'answered':>14}{'refused':>14}")
    for part, rows in parts.items():
        some = list(rows)
        print(f"{part:<30}{share(some, True):>14}{share(some, False):>14}")


if __name__ == "__main__":
    main()
