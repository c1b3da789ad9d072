"""Triage: from the text of an error to the chapter that explains it.

The rules are data, made from the book's records. The algorithm is small and stands here and in
`book/_static/triage.js`; both read the same rules, and a test holds them to the same answers.

A text is cleaned, then each failure gets the points of the strongest signature that the text has,
and those of each piece of evidence. Without a signature, or with fewer points than
`CLAIM`, a failure is not named.
"""

from __future__ import annotations

import json
import re
import sys
import traceback
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

DATA = Path(__file__).with_name("data.json")
CLAIM = 10
"""The points from which on triage names a failure."""
# What is read of a longer paste. Errors stand at the end, the first of a chain near the top.
HEAD, TAIL = 100_000, 300_000
LINE = 240
# Applied in this order, to all lines: what to look for, and what replaces it.
CLEANING = (
    (r"\r\n?|[\x0b\x0c\x85\u2028\u2029]", "\n"),
    (r"(\x1b|\\u001b|\\x1b)\[[0-9;?]{0,20}[A-Za-z]|\[[0-9]{1,3}(;[0-9]{1,3}){0,5}m", ""),
    (r"</?(a|b|br|code|div|em|font|i|li|p|pre|samp|span|strong|td|tr)( [^<>\n]{0,300})?/?>", ""),
    (r"&lt;", "<"),
    (r"&gt;", ">"),
    (r"&#39;|&#x27;|&apos;|[\u2018\u2019]|\\'", "'"),
    (r'&quot;|&#34;|[\u201c\u201d]|\\"', '"'),
    (r"&nbsp;|&#160;|[\t\xa0\u2000-\u200a\u202f\u3000]", " "),
    (r"&amp;", "&"),
    (r"[\u200b-\u200d\ufeff]", ""),
    (r"\\", "/"),
    (r"^ ?(E {2,}|[>|\u2502\u2503]+ ?)", ""),
)


class Finding(NamedTuple):
    """One failure that a text points to, best first in a list of them.

    `line` is the line that matched, `number` where it stands in the text; `because` says what else
    spoke for the failure. `chapter` is the page's address, and `fix` that of the section.
    """

    id: str
    title: str
    score: int
    number: int
    line: str
    because: list[str]
    chapter: str
    fix: str
    versions: str
    question: str


class CaseFinding(NamedTuple):
    """One case whose message a text shows, and that fails today; `page` is its address."""

    id: str
    title: str
    number: int
    line: str
    page: str
    versions: str
    cure: str
    question: str


class Answer(NamedTuple):
    """The findings, and where there are none the well-known other error, as a rule or None.

    `cases` are the pages of the casebook whose messages the text shows, the likeliest first.
    """

    findings: list[Finding]
    other: dict[str, Any] | None
    cases: list[CaseFinding] = []  # noqa: RUF012 - a tuple's default is never changed


class DataError(Exception):
    """The package's own data cannot be read; the message says what to do."""


@cache
def data() -> dict[str, Any]:
    """Return what the package knows of the book: `site`, `rules` and `explain`.

    Raises:
        DataError: the file is missing or damaged.
    """
    try:
        return json.loads(DATA.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        cure = "install trace-evidence again; in a checkout, run `make records`"
        raise DataError(f"{DATA.name} cannot be read ({error}): {cure}.") from None


def rules() -> dict[str, Any]:
    """Return the rules: plain data, the same for Python and for the browser."""
    return data()["rules"]


def address(page: str, section: str = "") -> str:
    """Return where a page of the book is published.

    Args:
        page: its name, as ``book/failures/lazy-pytree-drift``.
        section: the anchor of a section.
    """
    return f"{data()['site']}{page}.html" + (f"#{section}" if section else "")


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    # ASCII: \w and \b mean the same in JavaScript.
    return re.compile(pattern, re.ASCII | re.MULTILINE)


def clean(text: str) -> str:
    """Return a text without colours, tags, quoting and other traces of where it was copied."""
    text = re.sub(r"[\U00010000-\U0010ffff]", "??", text)  # two units, as JavaScript counts
    if len(text) > HEAD + TAIL:
        text = f"{text[:HEAD]}\n{text[-TAIL:]}"
    for pattern, replacement in CLEANING:
        text = _compiled(pattern).sub(replacement, text)
    return text + "\n"


def _strongest(text: str, signatures: list[list]) -> tuple[int, str, int] | None:
    """Return points and section of the strongest signature in the text, and where it stands."""
    best = None
    for pattern, points, section in signatures:
        if best is None or points > best[0]:
            found = _compiled(pattern).search(text)
            if found:
                best = points, section, found.start()
    return best


def _line(text: str, start: int) -> tuple[int, str]:
    """Return the number of the line at a position, and the line."""
    begin = text.rfind("\n", 0, start) + 1
    end = text.find("\n", start)
    line = text[begin : end if end >= 0 else len(text)]
    line = line.strip(" ")
    return text.count("\n", 0, start) + 1, line if len(line) <= LINE else f"{line[:LINE]}…"


def cases_in(text: str) -> list[CaseFinding]:
    """Return the cases whose messages a cleaned text shows.

    A case that lists evidence is named where the text has some of it besides the message.
    """
    found: list[tuple[int, int, CaseFinding]] = []
    for rule in rules()["cases"]:
        places = [_compiled(pattern).search(text) for pattern in rule["wordings"]]
        start = next((place.start() for place in places if place), None)
        hits = sum(bool(_compiled(pattern).search(text)) for pattern in rule["evidence"])
        if start is None or (rule["evidence"] and not hits):
            continue
        shown = rule["versions"], rule["cure"], rule["question"]
        finding = CaseFinding(
            rule["id"], rule["title"], *_line(text, start), address(rule["page"]), *shown
        )
        found.append((-hits, len(found), finding))
    return [finding for *_, finding in sorted(found)][: rules()["most_cases"]]


def triage(text: str) -> Answer:
    """Say which failures a text points to, best first.

    Args:
        text: a traceback, a log, or a line of either.
    """
    text = clean(text)
    findings = []
    for rule in rules()["failures"]:
        signature = _strongest(text, rule["signatures"])
        if signature is None:
            continue
        points, section, start = signature
        evidence = [row for row in rule["evidence"] if _compiled(row[0]).search(text)]
        score = points + sum(row[1] for row in evidence)
        if score >= CLAIM:
            page = address(rule["page"])
            because = [means for _, points, means in evidence if points > 0]
            place = score, *_line(text, start), because, page, address(rule["page"], section)
            shown = rule["versions"], rule["question"]
            findings.append(Finding(rule["id"], rule["title"], *place, *shown))
    findings.sort(key=lambda finding: -finding.score)
    cases = cases_in(text)
    if findings:
        return Answer(findings, None, cases)
    others = [
        (found[0], rule)
        for rule in rules()["others"]
        if (found := _strongest(text, rule["signatures"]))
    ]
    return Answer([], max(others, key=lambda row: row[0])[1] if others else None, cases)


def describe(answer: Answer) -> str:
    """Return an answer in words, for a terminal or a notebook."""
    cases = [describe_case(found) for found in answer.cases]
    if answer.other:
        link = answer.other["link"]
        if not link.startswith("https:"):
            page, _, section = link.lstrip("/").partition(".md")
            link = address(page, section.lstrip("#"))
        other = f"None of the five failures. {answer.other['says']}\nSee {link}."
        return "\n\n".join([other, *cases])
    if not answer.findings and not cases:
        return (
            "None of the five failures, and no other error that is known here.\n"
            "Paste the whole traceback, with its last lines. If it ought to be known, say so: "
            f"{address('book/reference/error-index')} has a button that opens an issue."
        )
    blocks = []
    for place, found in enumerate(answer.findings, start=1):
        rows = {"matched": f"line {found.number}: {found.line}"}
        if found.because:
            rows["and"] = "; ".join(found.because)
        rows |= {"fix": found.fix, "versions": found.versions, "ask": found.question}
        title = f"{place}. {found.title} ({found.chapter})"
        blocks.append("\n".join([title, *(f"   {key:<9}{value}" for key, value in rows.items())]))
    return "\n\n".join([*blocks, *cases])


def describe_case(found: CaseFinding) -> str:
    """Return a case in words, for a terminal or a notebook."""
    rows = {
        "matched": f"line {found.number}: {found.line}",
        "cure": found.cure,
        "versions": found.versions,
        "ask": found.question,
    }
    title = f"Still fails today: {found.title} ({found.page})"
    return "\n".join([title, *(f"   {key:<9}{value}" for key, value in rows.items() if value)])


def error_text(error: BaseException) -> str:
    """Return an exception as the screen shows it, whether it comes from here or from ``%%then``."""
    if hasattr(error, "_render_traceback_"):
        return "\n".join(error._render_traceback_())
    return "".join(traceback.format_exception(error))


def magic(shell) -> Callable[[str], None]:
    """Return the line magic ``%triage`` for an IPython shell."""

    def triage_last(line: str) -> None:
        """Name the chapter that explains the notebook's last exception."""
        if line.strip():
            raise ValueError(f"%triage takes no arguments; it got {line.strip()!r}.")
        error = getattr(sys, "last_value", None)
        if error is None:
            print("No exception yet: run %triage after a cell that failed.")
        else:
            print(describe(triage(error_text(error))))

    return triage_last
