"""Make the workshop edition: `make workshop`.

Into `_build/workshop` go notebooks for students and for instructors, slides, a handout a chapter,
and the sheets of the tests.
"""

import itertools
import re
import shutil
import sys
from pathlib import Path

import nbformat
import typst
from markdown_it import MarkdownIt
from nbformat import NotebookNode

from bookkit import (
    entries,
    execute,
    faces,
    illustrations,
    pages,
    taught,
    versions,
)
from bookkit.formats import notebooks, pdf, quiz, slides

OUT = pages.ROOT / "_build" / "workshop"
UNUSED = shutil.ignore_patterns("*.map", "*.esm.js", "css", "math*")
ENDING = "book/closing/on-one-sheet"  # has the questions that stand on each handout
SIZES = (7.8, 7.3, 6.8, 6.5)  # points: the code of a handout, as large as one page allows


def runs(text: str) -> list[list[str]]:
    """Return inline Markdown as pairs of a kind (text, code, em, strong) and a text."""
    found, kind = [], "text"
    for token in MarkdownIt().parseInline(text)[0].children or []:
        if token.type in ("em_open", "strong_open"):
            kind = token.tag
        elif token.type in ("em_close", "strong_close"):
            kind = "text"
        elif token.type == "code_inline":
            found.append(["code", token.content])
        elif token.type in ("text", "softbreak"):
            found.append([kind, token.content or " "])
    return found


def first_code(page: str, section: str) -> str:
    """Return the first code cell of a section."""
    cells = (c.node for c in pages.code_cells(pages.path_of(page)) if c.section == section)
    shown, _ = pages.split_asserts(next(cells).source)
    return re.sub(r"\A%%(then|both)\n", "", shown)


def the_check(page: str) -> str:
    """Return the source of the check that a chapter shows, with the functions that it calls."""
    found = notebooks.INCLUDED.findall(pages.path_of(page).read_text())
    if not found:
        raise SystemExit(f"error: {page}.md: *Catch it early* includes no check.")
    # Of a docstring a handout has the first line.
    texts = map(notebooks.source, found)
    shown = "\n\n".join(
        re.sub(r'^( +"""[^\n"]+?)\.?\n.*?"""', r'\1."""', text, flags=re.S | re.M) for text in texts
    )
    return re.sub(r"\n{3,}", "\n\n", shown)


def points(page: str, section: str) -> list[list[list[str]]]:
    """Return the points of a list that is a section of a page, each as `runs`."""
    text = pages.path_of(page).read_text().split(f"## {section}\n")[1].split("\n## ")[0]
    listed = re.split(r"^(?:-|\d\.) ", text.strip(), flags=re.M)[1:]
    return [runs(" ".join(point.partition("\n\n")[0].split())) for point in listed]


def write_handout(page: str) -> None:
    """Write a chapter's handout: a page on its failure, and one on what to ask of any."""
    name = Path(page).name
    failure = entries.chapters()[name]
    measured = versions.sentence(name)
    data = {
        "fonts": pdf.LATIN,
        "title": failure.title,
        "address": pages.published(page),
        "drawing": illustrations.for_paper(name),
        "symptom": runs(failure.symptom),
        "message": failure.message,
        "versions": f"{measured[0].upper()}{measured[1:]}.",
        "cause": runs(failure.cause),
        "cure": runs(failure.cure),
        "check": the_check(page),
        "points": points(page, "Key points"),
        "questions": points(ENDING, "Questions to ask of any such error"),
        "advice": points(ENDING, "Advice to distrust"),
        "stack": "Runs in the chapter's notebook, which defines the names.",
    }
    # A cure that is too long goes without what runs it and prints, then without its last functions.
    whole = first_code(page, "Fix it")
    names = re.findall(r"^(?:def|class) \w+\W", whole, re.M)
    fixes = [slides.statements(whole, tuple(names[:n])) for n in range(len(names), 0, -1)]
    for fix, size in itertools.product([whole, *fixes], SIZES):
        try:
            made = pdf.compose("handout.typ", **data, fix=fix, size=size)
            break
        except typst.TypstError as error:
            if "does not fit" not in str(error):
                raise SystemExit(f"error: the handout of {name}: {error}") from None
    else:
        raise SystemExit(f"error: the handout of {name} does not fit on two pages.")
    notebooks.write(OUT / "handouts" / f"{name}.pdf", made)


def make(page: str, executed: NotebookNode) -> None:
    """Make all files of one page."""
    file = f"{Path(page).name}.ipynb"
    full = notebooks.instructor(page, executed)
    notebooks.write(OUT / "student" / file, nbformat.writes(notebooks.student(page)))
    notebooks.write(OUT / "instructor" / file, nbformat.writes(full))
    if (slides.DECKS / f"{Path(page).name}.md").exists():
        full.cells = [c for c in full.cells if notebooks.NOTES not in c.metadata.get("tags", [])]
        html = slides.as_html(pages.title(page), slides.make(full, page), pages.published(page))
        notebooks.write(OUT / "slides" / f"{Path(page).name}.html", html)
    if page in taught.failures():
        write_handout(page)


def main() -> int:
    """Make all files anew, and say what there is."""
    shutil.rmtree(OUT, ignore_errors=True)
    reveal = OUT / "slides" / "reveal.js"
    shutil.copytree(faces.REVEAL, reveal, ignore=UNUSED)
    for file in (faces.CODE, faces.LICENSES["LICENSE-code.txt"]):
        shutil.copy(file, reveal)
    for page in taught.taught():
        executed = execute.executed(pages.path_of(page))
        if executed is None:
            print(f"error: {page}.md is not executed: run `make book` first.", file=sys.stderr)
            return 1
        make(page, executed)
    quiz.make(OUT / "test")
    print(
        f"In {OUT.relative_to(pages.ROOT)}: notebooks for students and for instructors, slides (S "
        "shows the speaker's notes), handouts, and the test with its key."
    )
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("\nInterrupted: run make workshop again.")
