"""Write `trace_evidence/data.json`: what the reader's package knows of the book.

The package installs alone, so what triage and `trace-evidence explain` say is put into one file
inside it: the rules, and the text of each failure and case. It is written when the package is
built, and in a checkout when somebody asks for it (`trace_evidence/checkout.py`).
"""

import json
import os
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

from trace_evidence import checkout, narrowing, triage

from . import avoid, can_i_use, casebook, entries, languages, pages, versions
from .languages import cached, say

PARTS = {entries.CHAPTER: "fix-it", entries.CASE: "cure"}  # the section that has the cure
TOLD = ("title", "symptom", "cause", "cure", "question", "occurs", "versions")
Entry = dict[str, Any]
SHOWN, SEVERAL = 110, 80  # characters of what a wrong answer prints: of a line, and of several
KEPT = pages.ROOT / "tests" / "outputs"
# An error or a warning in what a cell showed, and one that it printed itself.
SAID = re.compile(
    r"^--- (?:then |now )?(?:error|stderr)\n((?:(?!--- |=== ).+\n?)+)"
    r"|(\b\w*(?:Error|Exception|Warning): \S.*)",
    re.M,
)
LINKED = re.compile(r"(?: See|:)? https://\S+(?: for [^.]*\.)?")  # a link and what names it
FRAMES = ("File ", "at loc(")  # how lines begin that quote a stack inside a message
DIRECTIVE = re.compile(r"^(`{3,}|:{3,})\{[\w-]+\}.*?^\1$\n?", re.M | re.S)
ALT = re.compile(r"^ +alt: >-\n((?: {6,}.*\n)+)", re.M)
LINK = re.compile(r"\[([^\]]*)\]\(/?(book/[\w/-]+)\.md(?:#[\w-]+)?\)")


def known_of(entry: entries.Entry) -> Entry:
    """Return what the package knows of an entry.

    `page` is where the book has it, and `link` where triage leads; `occurs` are its releases in
    short; `needs` says that its message alone is not enough.
    """
    plainly = bare if entry.form in (entries.CASE, entries.FAMILY) else str
    none = {"versions": "", "occurs": "", "ranges": {}}
    releases = RELEASES[entry.form](entry) if entry.form in RELEASES else none
    wordings = [wording for other in (entry, *same_message(entry)) for wording in other.wordings]
    part = PARTS.get(entry.form, "")
    return {
        **{"kind": entry.form, "title": bare(entry.title), "page": entry.place},
        "link": to_page(entry.link) if entry.link else entry.place,
        "text": TEXTS[entry.form](entry),
        **{"family": entry.family, "how": entry.kind, "symptom": plainly(entry.symptom)},
        **{"see": [*entry.see], "where": [*entry.where]},
        **{"library": entry.library, "shows": shows(entry)},
        **{"cause": plainly(entry.cause), "cure": plainly(entry.cure)},
        **{"question": plainly(entry.question), **releases},
        "signatures": [
            [wording.regex, wording.points, wording.section or part]
            for wording in wordings
            if wording.regex
        ],
        "evidence": [[sign.pattern, sign.points, sign.means] for sign in entry.evidence],
        "needs": entry.form == entries.CASE and any(sign.points > 0 for sign in entry.evidence),
        "look": [[other.name, bare(other.title), other.page] for other in looks_like(entry)],
        "printed": [[bare(pages.title(page)), page] for page in printed_on(entry)],
    }


def shows(entry: entries.Entry) -> str:
    """Return the first lines that the wrong answer of a silent case prints, as it was kept."""
    if entry.form != entries.CASE or entry.kind != "silent":
        return ""
    file = KEPT / "cases" / f"{entry.name}.txt"
    # What reads notebooks, pip does not have.
    cells = pages.CELL.finditer(pages.read(pages.path_of(entry.page)))
    place = [n for n, cell in enumerate(cells) if "silent-failure" in cell["options"]]
    parts = file.read_text().split("\n=== ") if file.exists() else []
    if not place or place[0] >= len(parts):
        return ""
    printed = re.search(r"^--- stdout\n((?:(?!--- ).+\n?)+)", parts[place[0]], re.M)
    shown = ""
    for line in printed[1].splitlines() if printed else ():
        longer = f"{shown} · {' '.join(line.split())}" if shown else " ".join(line.split())
        if shown and len(longer) > SEVERAL:
            break
        shown = longer
    return shown[:SHOWN]


@cached
def messages() -> dict[str, list[str]]:
    """Return the messages that each page prints, by the page's name, as they were kept."""
    by_page = {}
    for page in (entry.page for entry in pages.contents()):
        file = KEPT / f"{page.removeprefix('book/')}.txt"
        text = file.read_text() if file.exists() else ""
        lines = [shown or printed for shown, printed in SAID.findall(text)]
        # An assertion without a word is told from others by its frames, which are not kept.
        if lines := [line for line in lines if line.strip() != "AssertionError:"]:
            by_page[page] = lines
    return by_page


def printed_on(entry: entries.Entry) -> list[str]:
    """Return the other pages that print a message by which an entry is known."""
    patterns = [
        re.compile(wording.regex, re.A | re.M)
        for wording in entry.wordings
        if wording.points >= triage.CLAIM
    ]
    linked = {entry.page, *(other.page for other in looks_like(entry))}
    return [
        page
        for page, lines in messages().items()
        if page not in linked
        and any(pattern.search(line) for pattern in patterns for line in lines)
    ]


def same_message(entry: entries.Entry) -> list[entries.Entry]:
    """Return the chapters that have an entry's messages too."""
    chapters = entries.chapters()
    near = [other for other in chapters.values() if entry.name in other.undecided_with]
    return near + [chapters[name] for name in entry.undecided_with]


def looks_like(entry: entries.Entry) -> list[entries.Entry]:
    """Return what an error may be too: what it names, or the loud cases of a chapter."""
    if entry.form == entries.CHAPTER:
        return [case for case in of_family(entry) if case.kind == "loud"]
    return [entries.by_name()[name] for name in entry.look]


def of_family(entry: entries.Entry) -> list[entries.Entry]:
    """Return the cases of a chapter or a family."""
    return [case for case in entries.cases().values() if case.family == entry.name]


def of_chapter(entry: entries.Entry) -> Entry:
    """Return the releases that a chapter's failure occurs in."""
    words = versions.sentence(entry.name), casebook.occurs_in(entry.name)
    return dict(zip(("versions", "occurs"), words, strict=True)) | ranges(entry)


def of_case(entry: entries.Entry) -> Entry:
    """Return the releases that a case occurs in."""
    return dict.fromkeys(("versions", "occurs"), bare(casebook.measured(entry))) | ranges(entry)


def ranges(entry: entries.Entry) -> Entry:
    """Return the releases by library, as the triage compares them."""
    return {"ranges": casebook.open_ranges(entry.name)}


def page_text(entry: entries.Entry) -> str:
    """Return the text of a case's page, without its title."""
    return plain(pages.path_of(entry.page)).partition("\n")[2].strip()


def program_text(entry: entries.Entry) -> str:
    """Return the program that raises an everyday error, and what it says."""
    records = [record for record in entries.recorded() if record["about"] == entry.name]
    errors = map(indented, dict.fromkeys(message(record) for record in records))
    parts = ["A program that raises it:", indented(entry.program), "It says:", *errors]
    return "\n\n".join(parts) if entry.program else ""


def family_text(entry: entries.Entry) -> str:
    """Return the list of a family's cases."""
    lines = (f"  {case.name:<28}{bare(case.title)}" for case in of_family(entry))
    return "\n".join(["Its cases:", *lines])


RELEASES = {entries.CHAPTER: of_chapter, entries.CASE: of_case}
TEXTS = {
    **{entries.CHAPTER: lambda entry: "", entries.CASE: page_text},
    **{entries.ERROR: program_text, entries.FAMILY: family_text},
}


@cached
def everything() -> dict[str, Entry]:
    """Return all that is known, by name."""
    return {name: known_of(entry) for name, entry in entries.by_name().items()}


def to_page(link: str) -> str:
    """Return a link as the package has it: an address, or a page's name with its section."""
    if link.startswith("https:"):
        return link
    page, mark, section = link.lstrip("/").replace(".md", "").partition("#")
    return page + mark + section.replace("_", "-")  # the form of an id in HTML


def bare(text: str) -> str:
    """Return a line of Markdown as plain text."""
    return re.sub(r"[`*]", "", " ".join(text.split()))


def rules() -> dict[str, Any]:
    """Return what the triage goes by in the browser, as in Python."""
    return {
        "claim": triage.CLAIM,
        "far": triage.FAR,
        "most": triage.MOST,
        "head": triage.HEAD,
        "tail": triage.TAIL,
        "line": triage.LINE,
        "cleaning": [list(rule) for rule in triage.CLEANING],
        "release": triage.RELEASE,
        "libraries": triage.LIBRARIES,
        "says": {key: say(text) for key, text in triage.SAYS.items()},
    }


def plain(path: Path) -> str:
    """Return a page's text as a terminal shows it; what reads notebooks, pip does not have."""
    parts, drawn = [], None
    # Before each cell its text, then its options, then its code.
    for place, text in enumerate(pages.CELL.split(path.read_text().split("\n---\n", 1)[1])):
        if place % 3 == 1:
            drawn = ALT.search(text) if "hide-input" in text else None
            continue
        if place % 3 == 2:
            code = indented(re.sub(r"^%load_ext.*\n?", "", text, flags=re.M))
            text = textwrap.fill(f"[Figure: {' '.join(drawn[1].split())}]", 99) if drawn else code
        else:
            text = DIRECTIVE.sub("", text)
            text = LINK.sub(lambda link: link[1] or pages.title(link[2]), text)
            text = re.sub(r"\[([^\]]*)\]\(#[\w-]+\)", r"\1", text)
            text = re.sub(r"^\([\w-]+\)=\n", "", text, flags=re.M)
        parts.append(text)
    return re.sub(r"\n{3,}", "\n\n", "\n\n".join(parts)).strip()


def indented(text: str) -> str:
    """Return lines four columns in."""
    return "\n".join(f"    {line}".rstrip() for line in text.splitlines())


def message(record: dict[str, str]) -> str:
    """Return the first lines of what a program said, without its frames and its links."""
    text = re.split(r"^(?! |Traceback)", record["text"], maxsplit=1, flags=re.M)[-1]
    if not re.match(r"[\w.]*(Error|Exception|Warning|Incompatible)\b", text):
        text = f"{record['type']}: {text}"
    text = text.partition("\n--------")[0].replace("site-packages/", "")
    lines = [
        line for line in text.splitlines() if line.strip() and not line.lstrip().startswith(FRAMES)
    ]
    plain = [line for line in lines if "https://" not in line]
    return "\n".join(plain[:3] or [LINKED.sub("", line) for line in lines[:3]])


def terminal() -> list[str]:
    """Return what the reader's package says in its own words, in English."""
    tables = [triage.SAYS, triage.LABELS, triage.KINDS, triage.SHOWN]
    tables += [narrowing.SEE, narrowing.WHERE]
    one_by_one = (triage.LINE_NUMBER, narrowing.ASK_SEE, narrowing.ASK_WHERE, narrowing.NUMBER)
    labels = [text for table in tables for text in table.values()]
    return [*labels, *triage.UNKNOWN, *one_by_one, narrowing.HOW, narrowing.NONE, " and ", ": "]


def texts(code: str) -> dict[str, str]:
    """Return what a terminal shows of the entries in another language, by a mark of its English."""
    english, before = everything(), languages.spoken().code
    languages.use(code)
    try:
        translated = {text: say(text) for text in terminal()}
        for name, entry in everything().items():
            translated |= {english[name][key]: entry[key] for key in TOLD}
            means = zip(english[name]["evidence"], entry["evidence"], strict=True)
            translated |= {old[2]: new[2] for old, new in means}
    finally:
        languages.use(before)
    return {triage.mark(old): new for old, new in translated.items() if old != new}


def build() -> dict[str, Any]:
    """Return all that the file holds but the hash of what it is made from."""
    return {
        "site": pages.public_address(),
        "explain": everything(),
        "words": {
            language.code: {"address": language.address, "texts": texts(language.code)}
            for language in languages.available().values()
            if language.code != languages.ENGLISH
        },
        "avoid": avoid.rules(),
        "can_i_use": can_i_use.data(),
    }


def main() -> None:
    """Write the file, whole or not at all, with a hash of what it is made from."""
    made = {"of": checkout.digest(), **build()}
    part = checkout.DATA.with_name(f".data.{os.getpid()}.part")
    part.write_text(
        json.dumps(made, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8"
    )
    part.replace(checkout.DATA)


if __name__ == "__main__":
    try:
        main()
    except pages.PageError as error:
        sys.exit(str(error))
