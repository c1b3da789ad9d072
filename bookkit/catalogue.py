"""The catalogue of the failures: what each is called, shows as, comes from and is cured by.

`catalogue.toml` holds one table a failure. Front cards, the error index and triage are made from
it. How triage counts is in `triage.py`; the errors that are no failure of a chapter or a case are
in `everyday.py`.

Each signature is backed by a real message: one that a cell of the book prints, or one that a
program of `stacks/recordings.toml` provoked on a stack of the version matrix. Where neither can be
had, `source` says what backs it: `"report"`, a report in `tests/reports/tuning.toml`, or
`"documentation"`.
"""

import re
from dataclasses import dataclass

from trace_evidence.triage import CLAIM

from . import pages
from .languages import cached, said, say

TEXTS = ("title", "symptom", "cause", "cure", "question")


@dataclass(frozen=True)
class Signature:
    """One wording of a failure's message."""

    type: str  # the exception's or the warning's class name
    text: str  # as the error index shows it; `…` stands for what varies within a line
    pattern: str  # a regular expression for it; made from `text` where the catalogue gives none
    points: int = CLAIM  # how much it says; less than `CLAIM` needs evidence to name the failure
    section: str = "fix-it"  # the part of the chapter that has the cure
    source: str = ""  # what backs it, where neither a cell nor a recording does
    note: str = ""  # what the message is, where it says nothing by itself


@dataclass(frozen=True)
class Evidence:
    """Something else in the text that speaks for a failure, or against it."""

    pattern: str  # a regular expression
    points: int  # what it adds; less than nothing speaks against
    means: str  # what it shows, in a few words


@dataclass(frozen=True)
class Failure:
    """One entry of the catalogue."""

    id: str  # the slug of the chapter, and the key in the file
    title: str  # the chapter's name
    symptom: str  # what the reader sees, in one sentence
    message: str  # the line to look for, as a reader's screen shows it
    cause: str  # why it happens, in one line
    cure: str  # what to change, in one line
    signatures: tuple[Signature, ...]  # the wordings that the message has had
    evidence: tuple[Evidence, ...]  # what else to look for
    question: str  # what to ask where the text alone cannot decide
    upstream: tuple[tuple[str, str], ...]  # (text, address) of its reports and changes
    undecided_with: tuple[str, ...] = ()  # failures with the same messages; each has the other's
    once: tuple[str, ...] = ()  # sections that are cases now; old links lead to the table of cases


def phrase_pattern(text: str) -> str:
    """Return a regular expression for a wording, the same in Python and in JavaScript.

    A space matches any run of spaces and line ends, since terminals wrap; `…` matches at most 160
    characters of one line, and nothing at the beginning, where it would be tried at every place.
    """
    literal = re.sub(r"[\\^$.|?*+()\[\]{}]", r"\\\g<0>", text.lstrip("… "))
    return literal.replace("…", r"[^\n]{0,160}?").replace(" ", r"[ \n]+")


def signature(row: dict) -> Signature:
    """Return a wording as the files have it, with its pattern."""
    pattern = row.get("pattern")
    spaced = pattern.replace(" ", r"[ \n]+") if pattern else phrase_pattern(row["text"])
    return Signature(**(row | {"pattern": spaced}))


@cached
def load() -> dict[str, Failure]:
    """Return the failures by id, in the order of the book."""
    tables = pages.data("book/catalogue.toml")
    tables = {name: dict(said(entry, *TEXTS)) for name, entry in tables.items()}
    for entry in tables.values():
        entry["signatures"] = tuple(signature(said(r, "note")) for r in entry["signatures"])
        entry["undecided_with"] = tuple(entry.get("undecided_with", ()))
        entry["once"] = tuple(entry.get("once", ()))
        entry["upstream"] = tuple((say(row["text"]), row["url"]) for row in entry["upstream"])
        entry["evidence"] = tuple(Evidence(**said(r, "means")) for r in entry["evidence"])
    return {key: Failure(id=key, **entry) for key, entry in tables.items()}
