"""The catalogue of the failures: what each is called, shows as, comes from and is cured by.

`catalogue.toml` holds one table a failure. Front cards, the error index and triage are made from
it. How triage counts is in `triage.py`; the errors that are no failure of a chapter or a case are
in `everyday.py`.

Each signature is backed by a real message: one that a cell of the book prints, or one that a
program of `stacks/recordings.toml` provoked on a stack of the version matrix. Where neither can be
had, `source` says what backs it: `"report"`, a report in `tests/reports/tuning.toml`, or
`"documentation"`.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache

from trace_evidence.triage import CLAIM

from .languages import said, say
from .pages import BOOK

FILE = BOOK / "catalogue.toml"
TEXTS = ("title", "symptom", "cause", "cure", "question")


@dataclass(frozen=True)
class Signature:
    """One wording of a failure's message.

    Attributes:
        type: the exception's or the warning's class name.
        text: the wording, as the error index shows it; `…` stands for what varies within a line.
        pattern: a regular expression for it; made from `text` where the catalogue gives none.
        points: how much it says. `CLAIM` and more names the failure; less needs evidence.
        section: the part of the chapter that has the cure.
        source: what backs it, where neither a cell nor a recording does.
        note: what the message is, where it says nothing by itself.
    """

    type: str
    text: str
    pattern: str
    points: int = CLAIM
    section: str = "fix-it"
    source: str = ""
    note: str = ""


@dataclass(frozen=True)
class Evidence:
    """Something else in the text that speaks for a failure, or against it.

    Attributes:
        pattern: a regular expression.
        points: what it adds; less than nothing speaks against.
        means: what it shows, in a few words.
    """

    pattern: str
    points: int
    means: str


@dataclass(frozen=True)
class Failure:
    """One entry of the catalogue.

    Attributes:
        id: the slug of the chapter, and the key in the file.
        title: the chapter's name.
        symptom: what the reader sees, in one sentence.
        message: the line to look for, as a reader's screen shows it.
        cause: why it happens, in one line.
        cure: what to change, in one line.
        signatures: the wordings that the message has had.
        evidence: what else to look for.
        question: what to ask where the text alone cannot decide.
        upstream: (text, address) of the reports and changes that it is known by.
        undecided_with: failures that show the same messages; each has the other's signatures too.
        once: names of sections that are cases now; old links lead to the table of cases.
    """

    id: str
    title: str
    symptom: str
    message: str
    cause: str
    cure: str
    signatures: tuple[Signature, ...]
    evidence: tuple[Evidence, ...]
    question: str
    upstream: tuple[tuple[str, str], ...]
    undecided_with: tuple[str, ...] = ()
    once: tuple[str, ...] = ()


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


@cache
def load() -> dict[str, Failure]:
    """Return the failures by id, in the order of the book."""
    tables = tomllib.loads(FILE.read_text())
    tables = {name: said(entry, *TEXTS) for name, entry in tables.items()}
    for entry in tables.values():
        entry["signatures"] = tuple(signature(said(r, "note")) for r in entry["signatures"])
        entry["undecided_with"] = tuple(entry.get("undecided_with", ()))
        entry["once"] = tuple(entry.get("once", ()))
        entry["upstream"] = tuple((say(row["text"]), row["url"]) for row in entry["upstream"])
        entry["evidence"] = tuple(Evidence(**said(r, "means")) for r in entry["evidence"])
    return {key: Failure(id=key, **entry) for key, entry in tables.items()}
