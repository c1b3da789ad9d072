"""Print how well both doors answer what people wrote: reports of errors, and phrasings of doubts.

The rules are written against the tuning halves. The others are held out, and only counted.
`tests/reports/README.md` says what a label means.

Usage: make run M=tools.score
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

from bookkit import catalogue, everyday, pages, records
from trace_evidence import symptoms, triage

REPORTS = pages.ROOT / "tests" / "reports"
PARTS = (
    "tuning", "held-out", "everyday-tuning", "everyday-held-out", "later-tuning", "fresh",
    "wide-tuning", "wide-held-out", "second-tuning", "third-fresh", "fourth-fresh", "fifth-fresh",
)  # fmt: skip
# The older reports call any mix-up of axes by a chapter's name; these kinds are such mix-ups.
AXES = ("plates", "shapes", "distributions", "inference", "batches")
# Entries that were written after labels which name their nearest kin.
LATER = {
    "parallel-truncated-normal": "leaked-tracer",
    "autoguide-under-vmap": "leaked-tracer",
    "type-check": "jaxtyped-missing",
    "framework-key": "framework-key-shape",
}
TABLES = ("answered", "older", "again-answered", "refused", "again-refused", "later")
STRANGERS = {
    **dict.fromkeys(("fresh-answered", "fresh-refused"), "strangers.toml"),
    **dict.fromkeys(("threads-answered", "threads-refused"), "threads.toml"),
}
Report = dict[str, Any]


class Score(NamedTuple):
    """Counts: how many were right among the first two, claimed by mistake, and not known."""

    right: int
    labelled: int
    claimed: int
    others: int
    unknown: int


@cache
def read(part: str) -> list[Report]:
    """Return the reports of one part; a part is a file."""
    return tomllib.loads((REPORTS / f"{part}.toml").read_text())["report"]


def is_ours(name: str) -> bool:
    """Return whether a name is a chapter's or a case's, and not an everyday error's."""
    return name in catalogue.load() or name in records.load()


def answer(report: Report) -> str:
    """Return the label of a report; empty where no answer is right."""
    return str(report.get("answer", report.get("failure", "")))


def accepted(report: Report) -> set[str]:
    """Return the names that are right answers; a chapter's stands for its cases too."""
    also = report.get("also", [])
    names = {answer(report), *([also] if isinstance(also, str) else also)} - {""}
    chapters = names & set(catalogue.load())
    if "failure" in report and "mvn-inside-scan" in chapters:
        names |= {entry.id for entry in everyday.load().values() if entry.kind in AXES}
    names |= {LATER[name] for name in names & set(LATER)}
    return names | {case.slug for case in records.load().values() if case.family in chapters}


def judge(report: Report) -> tuple[bool, bool, bool]:
    """Return whether the answer is right, claims the report by mistake, and is none at all."""
    found = triage.triage(report["lines"]).findings
    right = accepted(report)
    ours = [one for one in found if one.kind != "everyday" and one.id not in right]
    other = not any(map(is_ours, right))
    return bool(right & {one.id for one in found[:2]}), other and bool(ours), not found


def score(reports: Iterable[Report]) -> Score:
    """Return the counts for some reports."""
    rows = [(report, *judge(report)) for report in reports]
    labelled = [row for row in rows if answer(row[0])]
    return Score(
        sum(right for _, right, _, _ in labelled),
        len(labelled),
        sum(claimed for _, _, claimed, _ in rows),
        sum(not any(map(is_ours, accepted(report))) for report, *_ in rows),
        sum(unknown for *_, unknown in labelled),
    )


def is_held_out(text: str) -> bool:
    """Return whether a phrasing or an address is put aside: its SHA-256 is an even number."""
    return int(hashlib.sha256(text.encode()).hexdigest(), 16) % 2 == 0


def phrasings(table: str, held_out: bool) -> dict[str, list[str]]:
    """Return one half of a table of phrasings, each with its right answers, if it has any."""
    rows = tomllib.loads((REPORTS / STRANGERS.get(table, "phrasings.toml")).read_text())[table]
    rows = {key: [] for key in rows["says"]} if "says" in rows else rows
    if table in STRANGERS:
        rows = {says: row["answer"] for says, row in rows.items()}
    return {says: names for says, names in rows.items() if is_held_out(says) == held_out}


def is_answered_well(says: str, names: list[str]) -> bool:
    """Return whether a right answer is among the first three, or none given where none is."""
    found = {match.id for match in symptoms.search(says)[:3]}
    return bool(found & set(names)) if names else not found


def main() -> None:
    """Print both tables."""
    print(f"{'':<34}{'right, first or second':<22}{'claimed':<10}{'not known':>10}")
    for part in PARTS:
        right, labelled, claimed, others, unknown = score(read(part))
        print(f"{part:<34}{right:>4} of {labelled:<16}{claimed:>3} of {others:<5}{unknown:>6}")
    print(f"\n{'phrasings':<34}{'tuning':<15}held out")
    for table in (*TABLES, *STRANGERS):
        counts = []
        for held_out in (False, True):
            rows = phrasings(table, held_out)
            counts.append(f"{sum(is_answered_well(*row) for row in rows.items())} of {len(rows)}")
        print(f"{table:<34}{counts[0]:<15}{counts[1]}")


if __name__ == "__main__":
    main()
