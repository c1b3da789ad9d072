"""Write `trace_evidence/data.json`: what the reader's package knows of the book.

The package installs alone, so what triage and `trace-evidence explain` say is put into one file
inside it: the rules, and the text of each failure and case. It is written when the package is
built, and in a checkout when somebody asks for it (`trace_evidence/checkout.py`).
"""

from __future__ import annotations

import json
import math
import os
import re
import sys
from functools import cache
from typing import Any

from trace_evidence import checkout, triage
from trace_evidence import symptoms as second_door

from . import avoid, can_i_use, casebook, catalogue, everyday, languages, pages, records, versions
from .languages import say

# These cases say what their chapter says, word for word, and only what happened before tells them
# apart. So they are named after the chapter, by points that every text takes from them.
REPEATED = ("jit-broken-after-leak",)
AFTER = -3
FRAMES = ("File ", "at loc(")  # how lines begin that quote a stack inside a message
DIRECTIVE = re.compile(r"^(`{3,}|:{3,})\{[\w-]+\}.*?^\1$\n?", re.M | re.S)
LINK = re.compile(r"\[([^\]]*)\]\(/?(book/[\w/-]+)\.md(?:#[\w-]+)?\)")


def chapter(failure_id: str) -> str:
    """Return the page of a failure, from the root of the repository."""
    return f"book/failures/{failure_id}.md"


def site() -> str:
    """Return where the book is published; it ends with a slash."""
    return pages.config()["html"]["baseurl"]


@cache
def needed(pattern: str) -> list[str]:
    """Return words of which a text has one wherever a pattern matches; "" where none is known.

    A word is quickly looked for, so most patterns are never tried on a long text.
    """

    def of(parsed: Any) -> list[str]:
        best, run = [""], ""
        for operation, value in (*parsed, ("end", None)):
            kind = str(operation)
            if kind == "LITERAL":
                run += chr(value)
                continue
            inside = [""]
            if kind == "BRANCH":
                inside = [word for part in value[1] for word in of(part)]
            elif kind == "SUBPATTERN" or (kind.endswith("_REPEAT") and value[0]):
                inside = of(value[-1])
            best = max(best, [run], inside, key=lambda words: min(map(len, words)))
            run = ""
        return best

    return sorted(set(of(re._parser.parse(pattern))))  # type: ignore[attr-defined]


def wordings(case: records.Case) -> list[tuple[str, str]]:
    """Return the patterns of a case's messages, each with the text that it was made from."""
    found = []
    for row in case.wordings:
        pattern = row.get("pattern")
        if pattern:
            pattern = pattern.strip().removeprefix("^").removesuffix("$")
            found.append((pattern.replace(" ", r"[ \n]+"), ""))
        elif row["text"]:
            found.append((catalogue.phrase_pattern(row["text"]), row["text"]))
    return [row for row in found if row[0]]


def rule(kind: str, name: str, title: str, page: str, **others: Any) -> dict[str, Any]:
    """Return what triage knows of a chapter, a case or an everyday error."""
    empty = {"family": "", "evidence": [], "needs": False, "ranges": {}, "versions": "", "look": []}
    return {"kind": kind, "id": name, "title": bare(title), "page": page} | empty | others


def chapter_rules() -> list[dict[str, Any]]:
    """Return the rules of the chapters."""
    failures = catalogue.load()

    def shared(failure: catalogue.Failure) -> list[catalogue.Signature]:
        near = [other for other in failures.values() if failure.id in other.undecided_with]
        near += [failures[name] for name in failure.undecided_with]
        return [*failure.signatures, *(row for other in near for row in other.signatures)]

    return [
        rule(
            "chapter", failure.id, failure.title, f"book/failures/{failure.id}",
            signatures=[
                [row.pattern, row.points, row.section, needed(row.pattern)]
                for row in shared(failure)
            ],
            evidence=[[row.pattern, row.points, row.means] for row in failure.evidence],
            ranges=casebook.open_ranges(failure.id), versions=casebook.occurs_in(failure.id),
            says=failure.cause, cure=failure.cure, question=failure.question,
            look=[
                [case.slug, bare(case.title), case.page]
                for case in records.load().values()
                if case.family == failure.id and case.kind == "loud"
            ],
        )
        for failure in failures.values()
    ]  # fmt: skip


def case_rules() -> list[dict[str, Any]]:
    """Return the rules of the cases that have a message."""
    return [
        rule(
            "case", case.slug, case.title, case.page, family=case.family,
            signatures=[
                [pattern, catalogue.CLAIM, "cure", needed(pattern)]
                for pattern, text in wordings(case)
            ],
            evidence=[
                *([pattern, 1, ""] for pattern in case.evidence),
                *([["", AFTER, ""]] if case.slug in REPEATED else ()),
            ],
            needs=bool(case.evidence),
            ranges=casebook.open_ranges(case.slug), versions=bare(casebook.measured(case)),
            says=bare(case.cause), cure=bare(case.cure),
            question=bare(" ".join(case.question.split())),
        )
        for case in records.load().values()
        if wordings(case)
    ]  # fmt: skip


def everyday_rules() -> list[dict[str, Any]]:
    """Return the rules of the everyday errors."""
    titles = {
        failure.id: (failure.title, chapter(failure.id)) for failure in catalogue.load().values()
    }
    titles |= {case.slug: (case.title, case.page) for case in records.load().values()}
    return [
        rule(
            "everyday", entry.id, entry.title, to_page(entry.link),
            signatures=[
                [row.pattern, row.points, "", needed(row.pattern)]
                for row in entry.wordings
            ],
            evidence=[[row.pattern, row.points, ""] for row in entry.evidence],
            says=entry.says, cure=entry.first, question=entry.question,
            look=[[slug, bare(titles[slug][0]), to_page(titles[slug][1])] for slug in entry.look],
        )
        for entry in everyday.load().values()
    ]  # fmt: skip


def to_page(link: str) -> str:
    """Return a link as the package has it: an address, or a page's name with its section."""
    if link.startswith("https:"):
        return link
    page, mark, section = link.lstrip("/").replace(".md", "").partition("#")
    return page + mark + section.replace("_", "-")  # the form of an id in HTML


def bare(text: str) -> str:
    """Return a line of Markdown as plain text."""
    return re.sub(r"[`*]", "", " ".join(text.split()))


SAYS = {
    "chapter True": "The chapter's own failure occurs with {these}.",
    "chapter False": "The chapter's own failure does not occur with {these}; its cases may.",
    "chapter None": "The chapter's own failure occurs in {ranges}; its cases, on newer ones.",
    "case True": "Occurs with {these}.",
    "case False": "Does not occur with {these}. {ranges}",
    "case None": "{ranges}",
}


@cache
def rules() -> dict[str, Any]:
    """Return the rules of the triage: plain data, the same for Python and for the browser."""
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
        "says": {key: say(text) for key, text in SAYS.items()},
        "rules": [*chapter_rules(), *case_rules(), *everyday_rules()],
    }


SAME = {
    "same": "identical equal alike repeat copy exact duplicat",
    "draw": "sampl simulat random",
    "wrong": "incorrect bad strang weird bias shift off garbag nonsens spoil",
    "old": "previou former stal outdat earli",
    "chang": "updat modifi edit mutat modify replac",
    "memory": "ram heap oom gigabyt",
    "compil": "recompil retrac",
    "grow": "increas ris accumulat",
    "swap": "exchang switch mix permut transpos interchang",
    "revers": "backward invert front",
    "load": "restor reload deserialis pickl unpickl",
    "gradient": "grad slop derivativ",
    "predict": "forecast predictiv",
    "batch": "row lan vmap vmapp",
    "restart": "start multistart",
    "parameter": "param",
    "ignor": "overlook unaffect regardles",
    "scan": "timeseri",
    "density": "likelihood logprob",
    "float64": "doubl x64",
}
WORDS_THAT_SAY_NOTHING = """
a an the i my me it its is are was were be been do does did not no nothing of in on at to for from
by with and or but if then than that this these those there here when while which who what how why
all every each any some one two although though also as so very too still yet just only again give
gives given gave get gets got make makes use uses using used have has had can could will would
come comes came keep keeps kept after before into out over under between your
怎样 怎么 为什 什么 这个 没有 一个 的时 时候 出现 问题 一直 太慢 很慢 选择
"""
DULL = WORDS_THAT_SAY_NOTHING.split()
PARTS = {"phrases": 4, "title": 4, "short": 3, "symptom": 3, "kinds": 2, "cause": 1, "cure": 1}
"""What a word counts for, by the part of the record that has it; no more than twice four."""
LOUD = 0.7
"""What the words of an entry count that is found by its message too."""


@cache
def translations() -> dict[str, str]:
    """Return what the records say in the other languages, by their English text."""
    found: dict[str, str] = {}
    for code in languages.known():
        for message in languages.read(languages.catalogue(code, "records")):
            if message.id and message.string and not message.fuzzy:
                text = " ".join(str(message.id).split())
                found[text] = f"{found.get(text, '')} {message.string}"
    return found


def texts(entry: Any) -> dict[str, list[str]]:
    """Return the texts of an entry by the parts that `PARTS` names, in all languages."""
    parts = {
        "title": [entry.title],
        "symptom": [getattr(entry, "symptom", "") or entry.says],
        "cause": [getattr(entry, "cause", "")],
        "cure": [getattr(entry, "cure", "") or entry.first],
        "phrases": [*getattr(entry, "phrases", ())],
    }
    if isinstance(entry, records.Case):
        parts |= {
            "short": [entry.short],
            "kinds": [records.SYMPTOMS[name] for name in entry.symptoms],
        }
    other = translations()
    return {
        part: [*said, *(other.get(" ".join(text.split()), "") for text in said)]
        for part, said in parts.items()
    }


def symptoms() -> dict[str, Any]:
    """Return what the second door knows: the table, and the points of each stem in each entry."""
    same = {word: stem for stem, words in SAME.items() for word in words.split()}
    cases = records.load()
    entries: dict[str, Any] = {**cases, **catalogue.load(), **everyday.load()}
    counts: dict[str, dict[str, int]] = {}
    for name, entry in entries.items():
        for part, said in texts(entry).items():
            for stem in second_door.stems(bare(" ".join(said)), same, DULL):
                row = counts.setdefault(stem, {})
                row[name] = row.get(name, 0) + PARTS[part]
    rare = {stem: math.log((1 + len(entries)) / len(row)) for stem, row in counts.items()}
    silent = {name for name, case in cases.items() if case.kind == "silent"}
    place = {name: number for number, name in enumerate(entries)}
    return {
        "same": same,
        "dull": DULL,
        "order": list(entries),
        "points": {
            stem: [
                [
                    place[name],
                    round(20 * rare[stem] * (1 if name in silent else LOUD) * n / (n + 4)),
                ]
                for name, n in row.items()
            ]
            for stem, row in sorted(counts.items())
        },
        "table": [
            [words, [slug for slug, case in cases.items() if name in case.symptoms]]
            for name, words in records.SYMPTOMS.items()
            if name != "error"
        ],
    }


def plain(text: str) -> str:
    """Return a page's Markdown as a terminal shows it: code indented, no directives, no links."""
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S)
    cells: list[str] = []

    def code(found: re.Match) -> str:
        rows = found["code"].rstrip().splitlines()
        lines = [row for row in rows if not row.startswith("%load_ext")]
        cells.append("\n".join(f"    {row}".rstrip() for row in lines))
        return f"\0{len(cells) - 1}\0"

    text = pages.CELL.sub(code, text)
    text = DIRECTIVE.sub("", text)
    text = LINK.sub(lambda found: found[1] or pages.title(found[2]), text)
    text = re.sub(r"\[([^\]]*)\]\(#[\w-]+\)", r"\1", text)
    text = re.sub(r"^\([\w-]+\)=\n", "", text, flags=re.M)
    text = re.sub(r"\0(\d+)\0", lambda found: cells[int(found[1])], text)
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def failure_texts() -> dict[str, dict[str, str]]:
    """Return what `explain` says of each chapter's failure, by slug."""
    return {
        failure.id: {
            "title": failure.title,
            "page": f"book/failures/{failure.id}",
            "versions": versions.sentence(failure.id),
            "symptom": failure.symptom,
            "cause": failure.cause,
            "cure": failure.cure,
            "text": "",
        }
        for failure in catalogue.load().values()
    }


def case_texts() -> dict[str, dict[str, str]]:
    """Return what `explain` says of each case, by slug, with the text of its page."""
    found = {}
    for slug, case in records.load().items():
        page = plain(pages.path_of(case.page).read_text())
        found[slug] = {
            "title": bare(case.title),
            "page": case.page,
            "kind": case.kind,
            "family": case.family,
            "versions": bare(casebook.measured(case)),
            "symptom": bare(casebook.closed_in_words(case) + case.symptom),
            "cause": bare(case.cause),
            "cure": bare(case.cure),
            "text": page.partition("\n")[2].strip(),
        }
    return found


def everyday_texts() -> dict[str, dict[str, str]]:
    """Return what `explain` says of each everyday error, by name."""
    found = {}
    for entry in everyday.load().values():
        rows = [row for row in everyday.recorded() if row["about"] == entry.id]
        said = list(dict.fromkeys(message(row) for row in rows))
        parts = []
        if entry.program:
            parts = ["A program that raises it:", indented(entry.program), "It says:"]
            parts += map(indented, said)
        found[entry.id] = {
            "title": bare(entry.title),
            "page": f"{everyday.page(entry)}#{entry.id}",
            "kind": "everyday error",
            "library": everyday.LIBRARIES[entry.library],
            "symptom": bare(entry.says),
            "cure": bare(entry.first),
            "text": "\n\n".join(parts),
        }
    return found


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


def build() -> dict[str, Any]:
    """Return all that the file holds."""
    return {
        "site": site(),
        "rules": rules(),
        "explain": failure_texts() | case_texts(),
        "everyday": everyday_texts(),
        "symptoms": symptoms(),
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
