"""Write `trace_evidence/data.json`: what the reader's package knows of the book.

The package installs alone, so what triage and `trace-evidence explain` say is put into one file
inside it: the rules, and the text of each failure and case. `make records` writes it, with the
figures of the paper, and the suite holds both to the pages.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from trace_evidence import triage

from . import casebook, catalogue, pages, paper, records, versions

MOST_CASES = 3
FILE = pages.ROOT / "trace_evidence" / "data.json"
DIRECTIVE = re.compile(r"^(`{3,}|:{3,})\{[\w-]+\}.*?^\1$\n?", re.M | re.S)
CELL = re.compile(
    r"^```\{code-cell\}[^\n]*\n(?:---\n.*?^---\n|(?::[\w-]+:[^\n]*\n)*)(.*?)^```$", re.M | re.S
)
LINK = re.compile(r"\[([^\]]*)\]\(/?(book/[\w/-]+)\.md(?:#[\w-]+)?\)")


def chapter(failure_id: str) -> str:
    """Return the page of a failure, from the root of the repository."""
    return f"book/failures/{failure_id}.md"


def site() -> str:
    """Return where the book is published; it ends with a slash."""
    return pages.config()["html"]["baseurl"]


def wordings(case: records.Case) -> list[str]:
    """Return the patterns of a case's messages, as they stand anywhere in a text."""
    found = []
    for row in case.wordings:
        pattern = row.get("pattern")
        if pattern:
            pattern = pattern.strip().removeprefix("^").removesuffix("$")
            found.append(pattern.replace(" ", r"[ \n]+"))
        elif row["text"]:
            found.append(catalogue.phrase_pattern(row["text"]))
    return [pattern for pattern in found if pattern]


def case_rule(case: records.Case) -> dict[str, Any]:
    """Return what triage knows of a case."""
    return {
        "id": case.slug,
        "title": bare(case.title),
        "page": case.page,
        "wordings": wordings(case),
        "evidence": list(case.evidence),
        "versions": casebook.measured(case),
        "cure": bare(case.cure),
        "question": bare(" ".join(case.question.split())),
    }


def bare(text: str) -> str:
    """Return a line of Markdown as plain text."""
    return re.sub(r"[`*]", "", " ".join(text.split()))


@cache
def rules() -> dict[str, Any]:
    """Return the rules of the triage: plain data, the same for Python and for the browser."""
    failures, others = catalogue.load(), catalogue.load_others()

    def signatures(found: Iterable[catalogue.Signature]) -> list[list]:
        return [[row.pattern, row.points, row.section] for row in found]

    def shared(failure: catalogue.Failure) -> list[catalogue.Signature]:
        near = [other for other in failures.values() if failure.id in other.undecided_with]
        near += [failures[name] for name in failure.undecided_with]
        return [*failure.signatures, *(row for other in near for row in other.signatures)]

    return {
        "claim": triage.CLAIM,
        "head": triage.HEAD,
        "tail": triage.TAIL,
        "line": triage.LINE,
        "cleaning": [list(row) for row in triage.CLEANING],
        "failures": [
            {
                "id": failure.id,
                "title": failure.title,
                "page": f"book/failures/{failure.id}",
                "signatures": signatures(shared(failure)),
                "evidence": [[row.pattern, row.points, row.means] for row in failure.evidence],
                "versions": versions.sentence(failure.id),
                "question": failure.question,
            }
            for failure in failures.values()
        ],
        "cases": [case_rule(case) for case in records.load().values() if wordings(case)],
        "most_cases": MOST_CASES,
        "others": [
            {
                "id": other.id,
                "says": other.says,
                "link": other.link,
                "signatures": signatures(other.signatures),
            }
            for other in others.values()
        ],
    }


def plain(text: str) -> str:
    """Return a page's Markdown as a terminal shows it: code indented, no directives, no links."""
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S)
    cells: list[str] = []

    def code(found: re.Match) -> str:
        lines = [row for row in found[1].rstrip().splitlines() if not row.startswith("%load_ext")]
        cells.append("\n".join(f"    {row}".rstrip() for row in lines))
        return f"\0{len(cells) - 1}\0"

    text = CELL.sub(code, text)
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
            "symptom": bare(case.symptom),
            "cause": bare(case.cause),
            "cure": bare(case.cure),
            "text": page.partition("\n")[2].strip(),
        }
    return found


def build() -> dict[str, Any]:
    """Return all that the file holds."""
    return {"site": site(), "rules": rules(), "explain": failure_texts() | case_texts()}


def main() -> None:
    """Write the file where it is not as the pages have it."""
    text = json.dumps(build(), indent=1, ensure_ascii=False) + "\n"
    if not FILE.exists() or FILE.read_text() != text:
        part = FILE.with_name(f".{FILE.name}.part")
        part.write_text(text)
        part.replace(FILE)
        print(f"{FILE.relative_to(pages.ROOT)} is written; commit it with the pages.")
    paper.main()


if __name__ == "__main__":
    main()
