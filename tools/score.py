"""Print how well the triage and the second door answer what people wrote, by kind.

The rules are written against the tuning half of the reports and of the phrasings. The other half is
held out, by a hash, and only counted. `tests/reports/README.md` says what a label means.

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
PHRASINGS = pages.ROOT / "tests" / "phrasings.toml"
PARTS = (
    "tuning", "held-out", "everyday-tuning", "everyday-held-out", "later-tuning", "fresh",
    "wide-tuning", "wide-held-out", "second-tuning", "third-fresh",
)  # fmt: skip
# The older reports call any mix-up of axes by the chapter's name; these kinds are such mix-ups.
AXES = ("plates", "shapes", "distributions", "inference", "batches")
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
    """Return the collected reports of one part; the names of the parts are those of the files."""
    path = REPORTS / f"{part}.toml"
    return tomllib.loads(path.read_text())["report"] if path.exists() else []


def is_ours(name: str) -> bool:
    """Return whether a name is a chapter's or a case's, and not an everyday error's."""
    return name in catalogue.load() or name in records.load()


def accepted(report: Report) -> set[str]:
    """Return the names that are right answers to a report; empty where none is.

    A chapter's name stands for its cases too. In the older reports, which say `failure`, the
    chapter of the batch axes stands for the everyday errors about axes as well.
    """
    also = report.get("also", [])
    names = {
        report.get("answer", report.get("failure", "")),
        *([also] if also and isinstance(also, str) else also),
    }
    names.discard("")
    wide = names & set(catalogue.load())
    if "failure" in report and "mvn-inside-scan" in wide:
        names |= {entry.id for entry in everyday.load().values() if entry.kind in AXES}
    return names | {case.slug for case in records.load().values() if case.family in wide}


def kind_of(report: Report) -> str:
    """Return the heading below which a report is counted."""
    name = report.get("answer", report.get("failure", ""))
    if name in everyday.load():
        return everyday.KINDS[everyday.load()[name].kind]
    return "Chapters and cases" if name else "None of these"


def judge(report: Report) -> tuple[bool, bool, bool]:
    """Return whether the answer is right, claims the report by mistake, and is none at all."""
    found = triage.triage(report["lines"]).findings
    right = accepted(report)
    ours = [one for one in found if one.kind != "everyday" and one.id not in right]
    other = not any(map(is_ours, right))
    return bool(right & {one.id for one in found[:2]}), other and bool(ours), not found


def score(reports: Iterable[Report]) -> Score:
    """Return the counts for some reports."""
    right = labelled = claimed = others = unknown = 0
    for report in reports:
        is_right, is_claimed, is_unknown = judge(report)
        has_label = bool(report.get("answer", report.get("failure", "")))
        labelled += has_label
        right += has_label and is_right
        others += not any(map(is_ours, accepted(report)))
        claimed += is_claimed
        unknown += has_label and is_unknown
    return Score(right, labelled, claimed, others, unknown)


def is_held_out(text: str) -> bool:
    """Return whether a phrasing or an address is put aside: its SHA-256 is an even number."""
    return int(hashlib.sha256(text.encode()).hexdigest(), 16) % 2 == 0


def phrasings(held_out: bool) -> list[dict[str, Any]]:
    """Return one half of the phrasings."""
    rows = tomllib.loads(PHRASINGS.read_text())["phrasing"]
    return [row for row in rows if is_held_out(row["says"]) == held_out]


def found(row: dict[str, Any]) -> bool:
    """Return whether a right case is among the first three that the second door names."""
    return bool({match.id for match in symptoms.search(row["says"])[:3]} & set(row["cases"]))


def show(name: str, counted: Score) -> None:
    """Print one row."""
    right, labelled, claimed, others, unknown = counted
    rate = f"{right / labelled:>5.0%}" if labelled else "    –"  # noqa: RUF001
    print(f"{name:<34}{right:>4} of {labelled:<4}{rate}{claimed:>6} of {others:<5}{unknown:>6}")


def main() -> None:
    """Print the table."""
    print(f"{'':<34}{'right, first or second':<22}{'claimed':<10}{'not known':>10}")
    everything = []
    for part in PARTS:
        reports = read(part)
        everything += reports
        if reports:
            show(part, score(reports))
    show("all reports", score(everything))
    print()
    for kind in sorted({kind_of(report) for report in everything}):
        show(kind, score(report for report in everything if kind_of(report) == kind))
    print()
    for held_out in (False, True):
        rows = phrasings(held_out)
        hits = sum(map(found, rows))
        name = "phrasings, held out" if held_out else "phrasings, tuning"
        print(
            f"{name:<34}{hits:>4} of {len(rows):<4}{hits / len(rows):>5.0%} among the first three"
        )


if __name__ == "__main__":
    main()
