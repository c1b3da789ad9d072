"""Write `trace_evidence/data.json`: what the reader's package knows of the book.

The package installs alone, so what triage and `trace-evidence explain` say is put into one file
inside it: the rules, and the text of each failure and case. It is written when the package is
built, and in a checkout when somebody asks for it (`trace_evidence/checkout.py`).
"""

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

from trace_evidence import checkout, narrowing, triage

from . import avoid, can_i_use, casebook, entries, languages, pages, versions
from .languages import cached, say

PARTS = {entries.CHAPTER: "fix-it", entries.CASE: "cure"}  # the section that has the cure
TOLD = ("title", "symptom", "cause", "cure", "question", "occurs", "versions")
Entry = dict[str, Any]
SHOWN = 110  # characters of the line that a wrong answer prints
KEPT = pages.ROOT / "tests" / "outputs"
# An error or a warning in what a cell showed, and one that it printed itself.
SAID = re.compile(
    r"^--- (?:then |now )?(?:error|stderr)\n((?:(?!--- |=== ).+\n?)+)"
    r"|(\b\w*(?:Error|Exception|Warning): \S.*)",
    re.M,
)
FRAMES = ("File ", "at loc(")  # how lines begin that quote a stack inside a message
DIRECTIVE = re.compile(r"^(`{3,}|:{3,})\{[\w-]+\}.*?^\1$\n?", re.M | re.S)
LINK = re.compile(r"\[([^\]]*)\]\(/?(book/[\w/-]+)\.md(?:#[\w-]+)?\)")


def known_of(one: entries.Entry) -> Entry:
    """Return what the package knows of an entry.

    `page` is where the book has it, and `link` where triage leads; `occurs` are its releases in
    short; `needs` says that its message alone is not enough.
    """
    plainly = bare if one.form in (entries.CASE, entries.FAMILY) else str
    releases = RELEASES.get(one.form, lambda one: {"versions": "", "occurs": "", "ranges": {}})(one)
    rows = [row for other in (one, *same_message(one)) for row in other.wordings]
    part = PARTS.get(one.form, "")
    return {
        **{"kind": one.form, "title": bare(one.title), "page": one.place},
        **{"link": to_page(one.link) if one.link else one.place, "text": TEXTS[one.form](one)},
        **{"family": one.family, "how": one.kind, "symptom": plainly(one.symptom)},
        **{"see": [*one.see], "where": [*one.where], "library": one.library, "shows": shows(one)},
        **{"cause": plainly(one.cause), "cure": plainly(one.cure)},
        **{"question": plainly(one.question), **releases},
        "signatures": [[row.regex, row.points, row.section or part] for row in rows if row.regex],
        "evidence": [[row.pattern, row.points, row.means] for row in one.evidence],
        "needs": one.form == entries.CASE and any(row.points > 0 for row in one.evidence),
        "look": [[other.name, bare(other.title), other.page] for other in looks_like(one)],
        "printed": [[bare(pages.title(page)), page] for page in printed_on(one)],
    }


def shows(one: entries.Entry) -> str:
    """Return the first line that the wrong answer of a silent case prints, as it was kept."""
    if one.form != entries.CASE or one.kind != "silent":
        return ""
    kept = KEPT / "cases" / f"{one.name}.txt"
    # What reads notebooks, pip does not have.
    cells = pages.CELL.finditer(pages.read(pages.path_of(one.page)))
    place = [n for n, cell in enumerate(cells) if "silent-failure" in cell["options"]]
    parts = kept.read_text().split("\n=== ") if kept.exists() else []
    if not place or place[0] >= len(parts):
        return ""
    printed = re.search(r"^--- stdout\n(.+)$", parts[place[0]], re.M)
    return " ".join(printed[1].split())[:SHOWN] if printed else ""


@cached
def messages() -> dict[str, list[str]]:
    """Return the messages that each page prints, by the page's name, as they were kept."""
    found = {}
    for page in (entry.page for entry in pages.contents()):
        kept = KEPT / f"{page.removeprefix('book/')}.txt"
        text = kept.read_text() if kept.exists() else ""
        rows = [shown or printed for shown, printed in SAID.findall(text)]
        # An assertion without a word is told from others by its frames, which are not kept.
        if rows := [row for row in rows if row.strip() != "AssertionError:"]:
            found[page] = rows
    return found


def printed_on(one: entries.Entry) -> list[str]:
    """Return the other pages that print a message by which an entry is known."""
    known = [
        re.compile(row.regex, re.A | re.M) for row in one.wordings if row.points >= triage.CLAIM
    ]
    linked = {one.page, *(other.page for other in looks_like(one))}
    return [
        page
        for page, rows in messages().items()
        if page not in linked and any(form.search(row) for form in known for row in rows)
    ]


def same_message(one: entries.Entry) -> list[entries.Entry]:
    """Return the chapters that have an entry's messages too."""
    chapters = entries.chapters()
    near = [other for other in chapters.values() if one.name in other.undecided_with]
    return near + [chapters[name] for name in one.undecided_with]


def looks_like(one: entries.Entry) -> list[entries.Entry]:
    """Return what an error may be too: what it names, or the loud cases of a chapter."""
    if one.form == entries.CHAPTER:
        return [case for case in of_family(one) if case.kind == "loud"]
    return [entries.by_name()[name] for name in one.look]


def of_family(one: entries.Entry) -> list[entries.Entry]:
    """Return the cases of a chapter or a family."""
    return [case for case in entries.cases().values() if case.family == one.name]


def of_chapter(one: entries.Entry) -> Entry:
    """Return the releases that a chapter's failure occurs in."""
    said = versions.sentence(one.name), casebook.occurs_in(one.name)
    return dict(zip(("versions", "occurs"), said, strict=True)) | ranges(one)


def of_case(one: entries.Entry) -> Entry:
    """Return the releases that a case occurs in."""
    return dict.fromkeys(("versions", "occurs"), bare(casebook.measured(one))) | ranges(one)


def ranges(one: entries.Entry) -> Entry:
    """Return the releases by library, as the triage compares them."""
    return {"ranges": casebook.open_ranges(one.name)}


def page_text(one: entries.Entry) -> str:
    """Return the text of a case's page, without its title."""
    return plain(pages.path_of(one.page)).partition("\n")[2].strip()


def program_text(one: entries.Entry) -> str:
    """Return the program that raises an everyday error, and what it says."""
    rows = [row for row in entries.recorded() if row["about"] == one.name]
    said = map(indented, dict.fromkeys(message(row) for row in rows))
    parts = ["A program that raises it:", indented(one.program), "It says:", *said]
    return "\n\n".join(parts) if one.program else ""


def family_text(one: entries.Entry) -> str:
    """Return the list of a family's cases."""
    rows = (f"  {case.name:<28}{bare(case.title)}" for case in of_family(one))
    return "\n".join(["Its cases:", *rows])


RELEASES = {entries.CHAPTER: of_chapter, entries.CASE: of_case}
TEXTS = {
    **{entries.CHAPTER: lambda one: "", entries.CASE: page_text},
    **{entries.ERROR: program_text, entries.FAMILY: family_text},
}


@cached
def everything() -> dict[str, Entry]:
    """Return all that is known, by name."""
    return {name: known_of(one) for name, one in entries.by_name().items()}


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
        "cleaning": [list(row) for row in triage.CLEANING],
        "release": triage.RELEASE,
        "libraries": triage.LIBRARIES,
        "says": {key: say(text) for key, text in triage.SAYS.items()},
    }


def plain(path: Path) -> str:
    """Return a page's text as a terminal shows it; what reads notebooks, pip does not have."""
    found = []
    # Before each cell its text, then its options, then its code.
    for place, text in enumerate(pages.CELL.split(path.read_text().split("\n---\n", 1)[1])):
        if place % 3 == 1:
            continue
        if place % 3 == 2:
            text = indented(re.sub(r"^%load_ext.*\n?", "", text, flags=re.M))
        else:
            text = DIRECTIVE.sub("", text)
            text = LINK.sub(lambda link: link[1] or pages.title(link[2]), text)
            text = re.sub(r"\[([^\]]*)\]\(#[\w-]+\)", r"\1", text)
            text = re.sub(r"^\([\w-]+\)=\n", "", text, flags=re.M)
        found.append(text)
    return re.sub(r"\n{3,}", "\n\n", "\n\n".join(found)).strip()


def indented(text: str) -> str:
    """Return lines four columns in."""
    return "\n".join(f"    {line}".rstrip() for line in text.splitlines())


def message(row: dict[str, str]) -> str:
    """Return the first lines of what a program said, without its frames and its links."""
    text = re.split(r"^(?! |Traceback)", row["text"], maxsplit=1, flags=re.M)[-1]
    if not re.match(r"[\w.]*(Error|Exception|Warning|Incompatible)\b", text):
        text = f"{row['type']}: {text}"
    text = text.partition("\n--------")[0].replace("site-packages/", "")
    lines = [
        line
        for line in text.splitlines()
        if line.strip() and not line.lstrip().startswith(FRAMES) and "https://" not in line
    ]
    return "\n".join(lines[:3])


def terminal() -> list[str]:
    """Return what the reader's package says in its own words, in English."""
    known = (triage.SAYS, triage.LABELS, triage.KINDS, triage.SHOWN, narrowing.SEE, narrowing.WHERE)
    one_by_one = (triage.LINE_NUMBER, narrowing.ASK_SEE, narrowing.ASK_WHERE, narrowing.NUMBER)
    rows = [text for table in known for text in table.values()]
    return [*rows, *triage.UNKNOWN, *one_by_one, narrowing.HOW, narrowing.NONE, " and ", ": "]


def texts(code: str) -> dict[str, str]:
    """Return what a terminal shows of the entries in another language, by its English."""
    english, before = everything(), languages.spoken().code
    languages.use(code)
    try:
        found = {text: say(text) for text in terminal()}
        for name, row in everything().items():
            found |= {english[name][key]: row[key] for key in TOLD}
            means = zip(english[name]["evidence"], row["evidence"], strict=True)
            found |= {old[2]: new[2] for old, new in means}
    finally:
        languages.use(before)
    return {old: new for old, new in found.items() if old != new}


def build() -> dict[str, Any]:
    """Return all that the file holds but the hash of what it is made from."""
    return {
        "site": pages.public_address(),
        "explain": everything(),
        "words": {
            one.code: {"address": one.address, "texts": texts(one.code)}
            for one in languages.available().values()
            if one.code != languages.ENGLISH
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
