"""Triage: from the text of an error to the page that explains it.

The rules are data, made from the book's records. The algorithm is small and stands here and in
`book/_static/triage.js`; both read the same rules, and a test holds them to the same answers.

A text is cleaned, then each chapter, case and everyday error gets the points of the strongest
wording that the text has, and those of each piece of evidence. With fewer points than `CLAIM` it is
not named, nor where another has `FAR` points more. What a case or a chapter says of versions is
told for those that the text shows, or for those that are installed here.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import re
import sys
import traceback
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from . import checkout

CLAIM = 10
"""The points from which on triage names a chapter, a case or an everyday error."""
FAR, MOST = 8, 3
"""How many points behind the first an answer may be, and how many answers there are at most."""
LIBRARIES = {
    **{"numpyro": "NumPyro", "jax": "JAX", "equinox": "Equinox", "diffrax": "Diffrax"},
    **{"flax": "Flax", "optax": "Optax", "jaxlib": "jaxlib", "scipy": "SciPy"},
}
SAYS = {
    "chapter True": "The chapter's own failure occurs with {these}.",
    "chapter False": "The chapter's own failure does not occur with {these}; its cases may.",
    "chapter None": "The chapter's own failure occurs in {ranges}; its cases, on newer ones.",
    "case True": "Occurs with {these}.",
    "case False": "Does not occur with {these}. {ranges}",
    "case None": "{ranges}",
}
UNKNOWN = (
    "Not known here. Paste the whole traceback, with its last lines.",
    "No error, but a wrong answer? Try: trace-evidence narrow",
    "If it ought to be known, say so: {page} has a button that opens an issue.",
)
LABELS = {  # of the rows of an answer: in English short, in another language as on the site
    **{"what": "What it is", "try": "Try first", "cure": "Cure", "versions": "Versions"},
    **{"ask": "Ask", "cases": "Its cases", "or": "Or", "page": "Read more", "matched": "Matched"},
}
IN_ENGLISH = {"chapter": "chapter", "case": "case", "everyday": "everyday error"}
KINDS = {"chapter": "Chapter", "case": "Case", "everyday": "Everyday error"}
LINE_NUMBER = "line {number}: "
Say = Callable[[str], str]
SHOWN = {"text": "{releases} (shown in the text)", "here": "{releases} (installed here)"}
# A release as a text shows it: pip's and conda's lines, folders, tables of versions.
RELEASE = (
    r"(?:^|[ /(,;'\"])"
    r"([Nn]um[Pp]yro|[Jj]axlib|[Jj]ax|JAX|[Ee]quinox|[Dd]iffrax|[Ff]lax|[Oo]ptax|[Ss]ci[Pp]y)"
    r"(?:==|-| ?: +v?| version:? +| +)([0-9]{1,2}[.][0-9]{1,3}(?:[.][0-9]{1,3})?)"
    r"(?![0-9.]* or (?:newer|later|older|above))"
)
# What is read of a longer paste. Errors stand at the end, the first of a chain near the top.
HEAD, TAIL = 100_000, 300_000
LINE = 240
# Applied in this order, to all lines: what to look for, and what replaces it.
CLEANING = (
    (r"\r\n?|[\x0b\x0c\x85\u2028\u2029]", "\n"),
    (r"\x1b\][^\x07\x1b\n]{0,2000}(\x07|\x1b\\)?", ""),  # a title, a link, the clipboard
    (r"(\x1b|\\u001b|\\x1b)\[[0-9;?]{0,20}[A-Za-z]|\[[0-9]{1,3}(;[0-9]{1,3}){0,5}m", ""),
    (r"</?(a|b|br|code|div|em|font|i|li|p|pre|samp|span|strong|td|tr)( [^<>\n]{0,300})?/?>", ""),
    (r"&lt;", "<"),
    (r"&gt;", ">"),
    (r"&#39;|&#x27;|&apos;|[\u2018\u2019]|\\'", "'"),
    (r'&quot;|&#34;|[\u201c\u201d]|\\"', '"'),
    (r"&nbsp;|&#160;|[\t\xa0\u2000-\u200a\u202f\u3000]", " "),
    (r"&amp;", "&"),
    (r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u200b-\u200d\ufeff]", ""),
    (r"\\", "/"),
    (r"^ ?(E {2,}|[>|\u2502\u2503]+ ?)", ""),
)


class Finding(NamedTuple):
    """One answer, best first in a list of them.

    Attributes:
        kind: "chapter", "case" or "everyday".
        id: its name, which `trace-evidence explain` knows.
        title: what it is called.
        score: its points.
        number: the line of the text that matched, from 1.
        line: that line.
        because: what else spoke for it.
        says: what it is, in a sentence or two.
        cure: what to do, in a sentence.
        page: the address to go on from, with its section.
        occurs: whether it does on the releases that are known; None where none is, or for an
            everyday error.
        versions: the same in a sentence; empty for an everyday error.
        question: what tells it from others that look like it.
        look: those others, or the cases of a chapter: name, title and address of each.
    """

    kind: str
    id: str
    title: str
    score: int
    number: int
    line: str
    because: list[str]
    says: str
    cure: str
    page: str
    occurs: bool | None
    versions: str
    question: str
    look: list[list[str]]


class Answer(NamedTuple):
    """The findings, best first, and the releases by which they were judged.

    `releases` are by library; `source` says where they are from: "text", "here" or "".
    """

    findings: list[Finding]
    releases: dict[str, str]
    source: str


def known_bad(releases: dict[str, str]) -> list[str]:
    """Return a sentence for each of these releases that computes wrong numbers; `examine` asks."""
    from . import avoid

    return avoid.known_bad(releases)


@cache
def data() -> dict[str, Any]:
    """Return what the package knows of the book: `site`, `explain` and others.

    Raises:
        DataError: the file is missing or damaged; or, in a checkout, it cannot be made.
    """
    try:
        checkout.bring_up_to_date()
        return json.loads(checkout.DATA.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise checkout.DataError(
            f"data.json cannot be read ({error}): install trace-evidence again."
        ) from None


def address(page: str) -> str:
    """Return where a page of the book is published.

    Args:
        page: its name, as ``book/failures/lazy-pytree-drift``, perhaps with a ``#section``; an
            address elsewhere stays what it is.
    """
    if page.startswith("https:"):
        return page
    name, mark, section = page.partition("#")
    return f"{data()['site']}{name}.html{mark}{section}"


def edition(url: str, language: str) -> str:
    """Return the address of a page of the book in a language, as `language` returns it."""
    site = data()["site"]
    return url.replace(site, f"{site}{data()['words'][language]['address']}/") if language else url


def language(text: str = "") -> str:
    """Return the language to answer in, of those that the book has; empty for English.

    Args:
        text: what is asked; in Chinese, it is answered in Chinese.
    """
    wanted = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    if re.search("[\u3400-\u9fff]", text):
        wanted = "zh"
    return next((code for code in data()["words"] if code[:2] == wanted[:2]), "")


def mark(text: str) -> str:
    """Return the short mark by which the translation of a text is found."""
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def words(language: str) -> Say:
    """Return what puts a text of the book into a language, where it has it."""
    texts = data()["words"][language]["texts"] if language else {}
    return lambda text: texts.get(mark(text), text)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    # ASCII: \w and \b mean the same in JavaScript.
    return re.compile(pattern, re.ASCII | re.MULTILINE)


def clean(raw: str) -> str:
    """Return a text without colours, tags, quoting and other traces of where it was copied.

    Of what stands in the middle of a long one, only the ends of lines are left.
    """
    text = re.sub(r"[\U00010000-\U0010ffff]", "??", raw)  # two units, as JavaScript counts
    (pattern, replacement), *others = CLEANING
    text = _compiled(pattern).sub(replacement, text)
    if len(text) > HEAD + TAIL:
        dropped = text.count("\n", HEAD, len(text) - TAIL)
        text = text[:HEAD] + "\n" * max(1, dropped) + text[-TAIL:]
    for pattern, replacement in others:
        text = _compiled(pattern).sub(replacement, text)
    return f"{text}\n"


def _strongest(text: str, signatures: list[list]) -> tuple[int, int, str] | None:
    """Return points, place and section of the strongest wording that the text has."""
    best = None
    for pattern, points, section in signatures:
        if best is None or points > best[0]:
            match = _compiled(pattern).search(text)
            if match:
                best = points, match.start(), section
    return best


def _line(text: str, start: int) -> tuple[int, str]:
    """Return the number of the line at a position, and the line."""
    begin = text.rfind("\n", 0, start) + 1
    end = text.find("\n", start)
    line = text[begin : end if end >= 0 else len(text)].strip(" ")
    number = text.count("\n", 0, start) + 1
    return number, line if len(line) <= LINE else f"{line[:LINE]}…"


def releases_in(text: str) -> dict[str, str]:
    """Return the release of each library that a text shows; none where it shows several."""
    releases: dict[str, set[str]] = {}
    for name, release in _compiled(RELEASE).findall(text):
        releases.setdefault(name.lower(), set()).add(release)
    return {name: releases[name].pop() for name in LIBRARIES if len(releases.get(name, ())) == 1}


def installed() -> dict[str, str]:
    """Return the releases of the libraries that are installed beside this package."""
    releases = {}
    for name in LIBRARIES:
        try:
            releases[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return releases


def _numbers(release: str) -> list[int]:
    return [int(part) for part in re.findall(r"[0-9]+", release)[:3]]


def occurs(ranges: dict[str, list[list]], releases: dict[str, str]) -> bool | None:
    """Return whether something occurs on some releases, or None where none of them decides.

    Args:
        ranges: by library, (first, last, whether it reaches the newest measured release).
        releases: by library.
    """
    deciding = [name for name in ranges if name in releases]
    for name in deciding:
        here = _numbers(releases[name])
        if not any(
            _numbers(first) <= here and (is_open or here <= _numbers(last))
            for first, last, is_open in ranges[name]
        ):
            return False
    return True if deciding else None


def _versions(
    rule: dict[str, Any], releases: dict[str, str], source: str, say: Say = str
) -> tuple[bool | None, str]:
    """Return whether a rule's failure occurs, and the sentence that says so."""
    is_hit = occurs(rule["ranges"], releases)
    these = say(" and ").join(
        f"{title} {releases[name]}"
        for name, title in LIBRARIES.items()
        if name in rule["ranges"] and name in releases
    )
    these = say(SHOWN.get(source, "{releases}")).replace("{releases}", these)
    words = say(SAYS[f"{rule['kind']} {is_hit}"])
    return is_hit, words.replace("{these}", these).replace("{ranges}", say(rule["occurs"]))


def triage(text: str, here: dict[str, str] | None = None) -> Answer:
    """Say what a text shows, best first.

    Args:
        text: a traceback, a log, or a line of either.
        here: the releases that are installed where the error happened, by library; they count
            where the text shows none.
    """
    text = clean(text)
    releases, source = releases_in(text), "text"
    if not releases:
        releases, source = here or {}, "here" if here else ""
    candidates: list[tuple[int, Finding]] = []
    scores: dict[str, int] = {}
    for place, (name, rule) in enumerate(data()["explain"].items()):
        strongest = _strongest(text, rule["signatures"])
        if strongest is None:
            continue
        points, start, section = strongest
        evidence = [sign for sign in rule["evidence"] if _compiled(sign[0]).search(text)]
        score = points + sum(sign[1] for sign in evidence)
        if rule["needs"] and not evidence:
            continue
        is_hit: bool | None = None
        versions = ""
        if rule["kind"] != "everyday":
            is_hit, versions = _versions(rule, releases, source)
        if rule["kind"] == "case":
            # A case stands before its chapter, but where it does not occur.
            score = max(score, scores.get(rule["family"], 0) + sum(sign[1] for sign in evidence))
            score += 1 if is_hit is not False else -FAR
        if score < CLAIM:
            continue
        scores[name] = score
        if rule["kind"] == "chapter" and not is_hit:
            section = "cases"
        page = address(rule["link"] + (f"#{section}" if section else ""))
        because = [sign[2] for sign in evidence if sign[1] > 0 and sign[2]]
        look = [[other, title, address(there)] for other, title, there in rule["look"]]
        finding = Finding(
            rule["kind"], name, rule["title"], score, *_line(text, start), because,
            rule["cause"] or rule["symptom"], rule["cure"], page, is_hit, versions,
            rule["question"], look,
        )  # fmt: skip
        candidates.append((place, finding))
    candidates.sort(key=lambda candidate: (-candidate[1].score, candidate[0]))
    best = candidates[0][1].score if candidates else 0
    named: set[str] = set()
    findings: list[Finding] = []
    for _, finding in candidates:
        names = {finding.id, data()["explain"][finding.id]["family"]}
        if finding.score > best - FAR and not names & named:
            findings.append(finding)
            if finding.kind == "everyday":
                named |= {name for name, *_ in finding.look}
    return Answer(findings[:MOST], releases, source)


def describe(answer: Answer, language: str = "") -> str:
    """Return an answer in words, for a terminal or a notebook."""
    say = words(language)
    if not answer.findings:
        index = edition(address("book/reference/error-index"), language)
        return "\n".join(map(say, UNKNOWN)).replace("{page}", index)
    blocks = []
    for place, finding in enumerate(answer.findings, start=1):
        rule = data()["explain"][finding.id]
        pairs = [("what", say(finding.says))]
        pairs.append(("try" if finding.kind == "everyday" else "cure", say(finding.cure)))
        if finding.versions:
            pairs.append(("versions", _versions(rule, answer.releases, answer.source, say)[1]))
        pairs.append(("ask", say(finding.question)))
        if finding.kind == "chapter":
            pairs.append(("cases", ", ".join(name for name, *_ in finding.look)))
        else:
            links = [(say(title), edition(url, language)) for _, title, url in finding.look]
            pairs += [("or", f"{title}: {url}") for title, url in links]
        pairs.append(("page", edition(finding.page, language)))
        matched = say(LINE_NUMBER).replace("{number}", str(finding.number)) + finding.line
        if finding.because:
            matched += f" ({'; '.join(map(say, finding.because))})"
        pairs.append(("matched", matched))
        kind = say(KINDS[finding.kind]) if language else IN_ENGLISH[finding.kind]
        lines = [f"{place}. {say(finding.title)} ({kind}: {finding.id})"]
        for key, text in pairs:
            label = say(LABELS[key]) + say(": ") if language else f"{key:<9}"
            lines += [f"   {label}{text}"] if text else []
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def error_text(error: BaseException) -> str:
    """Return an exception as the screen shows it, whether it comes from here or from ``%%then``."""
    if hasattr(error, "_render_traceback_"):
        return "\n".join(error._render_traceback_())
    return "".join(traceback.format_exception(error))


def show_last(line: str) -> None:
    """Name the page that explains the notebook's last exception: the line magic ``%triage``."""
    if line.strip():
        raise ValueError(f"%triage takes no arguments; it got {line.strip()!r}.")
    error = getattr(sys, "last_value", None)
    if error is None:
        print("No exception yet: run %triage after a cell that failed.")
        return
    # What %%then raised happened on releases that its text must show.
    here = {} if hasattr(error, "_render_traceback_") else installed()
    print(describe(triage(error_text(error), here), language()))
