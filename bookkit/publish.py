"""Write `trace_evidence/data.json`: what the reader's package knows of the book.

The package installs alone, so what triage and `trace-evidence explain` say is put into one file
inside it: the rules, and the text of each failure and case. It is written when the package is
built, and in a checkout when somebody asks for it (`trace_evidence/checkout.py`).
"""

import itertools
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import Any

from trace_evidence import checkout, triage
from trace_evidence import symptoms as second_door

from . import avoid, can_i_use, casebook, catalogue, everyday, languages, pages, records, versions
from .languages import cached, say

# These cases say what their chapter says, word for word, and only what happened before tells them
# apart. So they are named after the chapter, by points that every text takes from them.
REPEATED = ("jit-broken-after-leak", "own-lazy-field")
AFTER = -3
Entry = dict[str, Any]
FRAMES = ("File ", "at loc(")  # how lines begin that quote a stack inside a message
DIRECTIVE = re.compile(r"^(`{3,}|:{3,})\{[\w-]+\}.*?^\1$\n?", re.M | re.S)
LINK = re.compile(r"\[([^\]]*)\]\(/?(book/[\w/-]+)\.md(?:#[\w-]+)?\)")


def patterns(case: records.Case) -> list[str]:
    """Return the patterns of a case's messages."""
    found = []
    for row in case.wordings:
        pattern = row.get("pattern")
        if pattern:
            pattern = pattern.strip().removeprefix("^").removesuffix("$")
            found.append(pattern.replace(" ", r"[ \n]+"))
        else:
            found.append(catalogue.phrase_pattern(row["text"]))
    return [*filter(None, found)]


def entry(kind: str, title: str, page: str, **others: Any) -> Entry:
    """Return what the package knows of a chapter, a case or an everyday error.

    `link` is where triage leads, `page` where the book has it; `occurs` are its releases in short.
    """
    known = {"kind": kind, "title": bare(title), "page": page, "link": page, "text": ""}
    empty = {"family": "", "cause": "", "versions": "", "occurs": "", "question": ""}
    rules = {"signatures": [], "evidence": [], "needs": False, "ranges": {}, "look": []}
    return {**known, **empty, **rules, **others}


def chapters() -> dict[str, Entry]:
    """Return the chapters' failures by slug."""
    failures, found = catalogue.load(), {}
    for failure in failures.values():
        near = [other for other in failures.values() if failure.id in other.undecided_with]
        near += [failures[name] for name in failure.undecided_with]
        wordings = [row for one in (failure, *near) for row in one.signatures]
        family = [case for case in records.load().values() if case.family == failure.id]
        loud = [case for case in family if case.kind == "loud"]
        found[failure.id] = entry(
            "chapter", failure.title, f"book/failures/{failure.id}",
            symptom=failure.symptom, cause=failure.cause, cure=failure.cure,
            question=failure.question, ranges=casebook.open_ranges(failure.id),
            versions=versions.sentence(failure.id), occurs=casebook.occurs_in(failure.id),
            signatures=[[row.pattern, row.points, row.section] for row in wordings],
            evidence=[[row.pattern, row.points, row.means] for row in failure.evidence],
            look=[[case.slug, bare(case.title), case.page] for case in loud],
        )  # fmt: skip
    return found


def cases() -> dict[str, Entry]:
    """Return the cases by slug, with the text of their pages."""
    found = {}
    for slug, case in records.load().items():
        evidence: list[list] = [[pattern, 1, ""] for pattern in case.evidence]
        measured = bare(casebook.measured(case))
        found[slug] = entry(
            "case", case.title, case.page, family=case.family, how=case.kind,
            symptom=bare(case.symptom), cause=bare(case.cause), cure=bare(case.cure),
            question=bare(case.question), versions=measured, occurs=measured,
            ranges=casebook.open_ranges(slug),
            signatures=[[pattern, catalogue.CLAIM, "cure"] for pattern in patterns(case)],
            evidence=[*evidence, *([["", AFTER, ""]] if slug in REPEATED else [])],
            needs=bool(evidence),
            text=plain(pages.path_of(case.page)).partition("\n")[2].strip(),
        )  # fmt: skip
    return found


def everyday_errors() -> dict[str, Entry]:
    """Return the everyday errors by name, with the programs that raise them."""
    known, found = {**chapters(), **cases()}, {}
    for name, one in everyday.load().items():
        rows = [row for row in everyday.recorded() if row["about"] == name]
        said = list(dict.fromkeys(message(row) for row in rows))
        program = ["A program that raises it:", indented(one.program), "It says:"]
        found[name] = entry(
            "everyday", one.title, f"{everyday.page(one)}#{name}", link=to_page(one.link),
            question=one.question, symptom=one.symptom, cure=one.cure,
            signatures=[[row.pattern, row.points, ""] for row in one.wordings],
            evidence=[[row.pattern, row.points, ""] for row in one.evidence],
            look=[[slug, known[slug]["title"], known[slug]["page"]] for slug in one.look],
            text="\n\n".join([*program, *map(indented, said)] if one.program else []),
        )  # fmt: skip
    return found


def named_families() -> dict[str, Entry]:
    """Return the families beyond the chapters by name; no message leads to them."""
    found = {}
    for name, one in records.families().items():
        titles = {c.slug: bare(c.title) for c in records.load().values() if c.family == name}
        found[name] = entry(
            "family", one.title, one.page, symptom=bare(one.symptom), cure=bare(one.cure),
            text="\n".join(["Its cases:", *(f"  {slug:<28}{titles[slug]}" for slug in titles)]),
        )  # fmt: skip
    return found


@cached
def entries() -> dict[str, Entry]:
    """Return all that is known: chapters, families, cases and everyday errors, in this order."""
    return {**chapters(), **named_families(), **cases(), **everyday_errors()}


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


@cached
def translations() -> dict[str, str]:
    """Return what the records say in the other languages, by their English text."""
    found: dict[str, str] = {}
    for code in languages.known():
        for message in itertools.chain(*map(languages.read, languages.records(code))):
            if message.id and message.string and not message.fuzzy:
                text = " ".join(str(message.id).split())
                found[text] = f"{found.get(text, '')} {message.string}"
    return found


def doubts() -> dict[str, Any]:
    """Return what people say of the entries, and of topics that the book has nothing about."""
    return pages.data("book/doubts.toml")


def texts(one: Any) -> list[str]:
    """Return the title, the symptom and the phrases of an entry, in all languages."""
    said = [one.title, one.symptom, *getattr(one, "phrases", ())]
    return [*said, *(translations().get(" ".join(text.split()), "") for text in said)]


def counts(without: Collection[str]) -> dict[str, Counter[str]]:
    """Return in how many texts each stem stands, by entry and, after all entries, by topic.

    Args:
        without: phrases of `doubts.toml` to leave out.
    """
    said = {name: texts(one) for name, one in described().items()}
    for name, phrases in [*doubts()["says"].items(), *doubts()["elsewhere"].items()]:
        said.setdefault(name, []).extend(text for text in phrases if text not in without)
    return {
        name: Counter(stem for text in rows for stem in second_door.stems(bare(text)))
        for name, rows in said.items()
    }


def described() -> dict[str, Any]:
    """Return all that the second door may name, by the entry's name."""
    return {**records.load(), **catalogue.load(), **everyday.load(), **records.families()}


def symptoms(without: Collection[str] = ()) -> dict[str, Any]:
    """Return what the second door knows: in how many phrases of each entry each stem stands."""
    rows = counts(without)
    everywhere = sum(rows.values(), Counter())
    # What stands in a single phrase says nothing yet.
    known: dict[str, list[int]] = {stem: [] for stem in sorted(everywhere) if everywhere[stem] > 1}
    for place, row in enumerate(rows.values()):
        for stem in known.keys() & row.keys():  # one number is the place and how many more than one
            known[stem].append(place + (row[stem] - 1) * len(rows))
    return {
        "order": list(rows),
        "totals": [row.total() for row in rows.values()],
        "counts": known,
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


def build() -> dict[str, Any]:
    """Return all that the file holds but the hash of what it is made from."""
    return {
        "site": pages.public_address(),
        "explain": entries(),
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
