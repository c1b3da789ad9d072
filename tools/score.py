"""Print how well the triage answers what people wrote: reports of errors.

The rules are written against one part. The other is held out, and only counted.
`tests/reports/README.md` says what a label means.

Usage: make run M=tools.score
"""

import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

from bookkit import entries, pages
from trace_evidence import triage

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
    """How one report was answered."""

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
        findings = triage.triage(report["lines"]).findings
        right, label = accepted(report), answer(report)
        claims = any(finding.kind != "everyday" and finding.id not in right for finding in findings)
        well = bool(right & {finding.id for finding in findings[:2]}) if label else not claims
        claimed = claims and not right & {*entries.chapters(), *entries.cases()}
        yield Row(bool(label), well, claimed)


def share(answers: Iterable[Row], labelled: bool) -> str:
    """Return how many of those that have an answer, or of those that have none, went well."""
    well = [answer.well for answer in answers if answer.labelled == labelled]
    return f"{sum(well)} of {len(well)}"


def main() -> None:
    """Print how many of each part went well."""
    parts = {
        "errors, tuning": errors(read("tuning")),
        "errors, held out": errors(read("held-out")),
    }
    print(f"{'':<30}{'answered':>14}{'refused':>14}")
    for part, answers in parts.items():
        some = list(answers)
        print(f"{part:<30}{share(some, True):>14}{share(some, False):>14}")


if __name__ == "__main__":
    main()
