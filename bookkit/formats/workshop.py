"""Make what is handed out in a workshop: `make workshop`, and the build of the site.

For learners there are bare notebooks and a zip of them; for the instructor notebooks with
solutions, outputs and notes, decks, and a zip of all; on paper a handout a chapter, the questions
to ask, and the test. Only the instructor's notebooks and the decks need executed pages: those of a
page that is not executed are left out.
"""

import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from nbformat import NotebookNode, writes

from bookkit import (
    casebook,
    decks,
    entries,
    execute,
    faces,
    illustrations,
    pages,
    taught,
    versions,
)

from . import learner, notebooks, pdf, quiz, slides

OUT = pages.BUILD / taught.IN_ROOM
# What a deck uses of reveal.js.
SANS = "dist/theme/fonts/source-sans-pro"
USED: tuple[str, ...] = (
    "dist/re*.css",
    "dist/reveal.js",
    "dist/theme/white.css",
    "plugin/notes/notes.js",
)
USED += (f"{SANS}/*.woff", f"{SANS}/*.css", f"{SANS}/LICENSE")
ENDING = "book/closing/on-one-sheet"  # the questions to ask
INSTRUCTOR = "trace-evidence-instructor"  # the folder in the zip
SCHEDULE = re.compile(r"^```\{schedule\} (\S+)\n```$", re.M)
BLOCK = re.compile(r"^```\{[\w-]+\}[^\n]*\n(?:[^`\n][^\n]*\n)*```\n", re.M)
README = """\
# Trace Evidence, for the instructor

Begin with `instructor-guide.md` and `schedule.md`. `set-up.md` is for learners, who get
`learner.zip`; `test.md` says how to give the test, whose forms and key are in `test/`.

- `slides/`: the decks; open one in a browser, and press S for your notes.
- `instructor/`: notebooks with solutions and outputs; `learner/`: the bare ones.
- `handouts/`: a sheet for each chapter, and the questions to ask.

With Python 3.12, make both environments as `set-up.md` says *From a zip*, here. Then start
`PYTHONPATH=$PWD .venv/bin/jupyter lab`, so that the notebooks of each folder find the package.
"""
SIZE = 9  # points: the code of a sheet; a line of 86 columns fits


def runs(text: str) -> list[list[str]]:
    """Return inline Markdown as pairs of a kind (text, code, em, strong) and a text."""
    pieces, kind = [], "text"
    for token in MarkdownIt().parseInline(text)[0].children or []:
        if token.type in ("em_open", "strong_open"):
            kind = token.tag
        elif token.type in ("em_close", "strong_close"):
            kind = "text"
        elif token.type == "code_inline":
            pieces.append(["code", token.content])
        elif token.type in ("text", "softbreak"):
            pieces.append([kind, token.content or " "])
    return pieces


def first_code(page: str, section: str) -> str:
    """Return the first code cell of a section."""
    cells = (c.node for c in pages.code_cells(pages.path_of(page)) if c.section == section)
    shown, _ = pages.split_asserts(next(cells).source)
    return re.sub(r"\A%%(then|both)\n", "", shown)


def the_check(page: str) -> str:
    """Return the source of the check that a chapter shows, with the functions that it calls."""
    files = notebooks.INCLUDED.findall(pages.path_of(page).read_text())
    if not files:
        raise SystemExit(f"error: {page}.md: *Catch it early* includes no check.")
    # Of a docstring a handout has the first line.
    texts = map(notebooks.source, files)
    shown = "\n\n".join(
        re.sub(r'^( +"""[^\n"]+?)\.?\n.*?"""', r'\1."""', text, flags=re.S | re.M) for text in texts
    )
    return re.sub(r"\n{3,}", "\n\n", shown)


def points(page: str, section: str) -> list[list[list[str]]]:
    """Return the points of a list that is a section of a page, each as `runs`."""
    text = pages.path_of(page).read_text().split(f"## {section}\n")[1].split("\n## ")[0]
    listed = re.split(r"^(?:-|\d\.) ", text.strip(), flags=re.M)[1:]
    return [runs(" ".join(point.partition("\n\n")[0].split())) for point in listed]


def compose(file: Path, source: str, page: str, **data: Any) -> None:
    """Write a sheet, with the address of the page that it is made from."""
    common = {"fonts": pdf.LATIN, "address": pages.published(page), "size": SIZE}
    notebooks.write(file, pdf.compose(source, **common | {"title": pages.title(page)} | data))


def write_handout(page: str, file: Path) -> None:
    """Write a chapter's handout."""
    name = Path(page).name
    failure = entries.chapters()[name]
    compose(
        file,
        "handout.typ",
        page,
        drawing=illustrations.for_paper(name),
        symptom=runs(failure.symptom),
        message=failure.message,
        versions=casebook.capital(versions.sentence(name)),
        cause=runs(failure.cause),
        cure=runs(failure.cure),
        fix=first_code(page, "Fix it"),
        check=the_check(page),
        points=points(page, "Key points"),
        stack="Runs in the chapter's notebook, which defines the names.",
    )


def write_questions(file: Path) -> None:
    """Write the questions to ask of any failure."""
    asked = points(ENDING, "Questions to ask of any such error")
    compose(
        file, "questions.typ", ENDING, questions=asked, advice=points(ENDING, "Advice to distrust")
    )


def write_deck(page: str, full: NotebookNode, out: Path) -> None:
    """Write a chapter's deck."""
    full.cells = [c for c in full.cells if notebooks.NOTES not in c.metadata.get("tags", [])]
    html = slides.as_html(pages.title(page), slides.make(full, page), pages.published(page))
    notebooks.write(out / "slides" / f"{Path(page).name}.html", html)


def copy_reveal(out: Path) -> None:
    """Copy what shows a deck, with the fonts and their licenses."""
    for file in (match for pattern in USED for match in faces.REVEAL.glob(pattern)):
        place = out / file.relative_to(faces.REVEAL)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, place)
    for file in (faces.CODE, faces.LICENSES["LICENSE-code.txt"]):
        shutil.copy(file, out)


def make(out: Path) -> list[str]:
    """Make all files in a new folder; return the pages that are not executed."""
    shutil.rmtree(out, ignore_errors=True)
    copy_reveal(out / "slides" / "reveal.js")
    missing = []
    for page in taught.taught():
        executed = execute.executed(pages.path_of(page))
        if executed is None:
            missing.append(page)
        else:
            full = notebooks.instructor(page, executed)
            notebooks.write(out / "instructor" / learner.file_of(page), writes(full))
            if decks.deck(page).exists():
                write_deck(page, full, out)
        if page in taught.failures():
            write_handout(page, out / "handouts" / f"{Path(page).name}.pdf")
    write_questions(out / "handouts" / "questions.pdf")
    quiz.make(out / "test")
    for name, text in learner.files().items():
        notebooks.write(out / "learner" / name, text)
    learner.write_zip(out / "learner.zip")
    contents = {file.relative_to(out).as_posix(): file for file in out.rglob("*") if file.is_file()}
    made = {name: file.read_bytes() for name, file in contents.items()}
    learner.pack(out / "instructor.zip", INSTRUCTOR, made | beside(missing))
    return missing


def beside(missing: list[str]) -> dict[str, bytes]:
    """Return what the instructor's zip has besides: the pages, and what notebooks need."""
    made = {}
    for path in sorted((pages.BOOK / "workshop").glob("*.md")):
        text = pages.read(path).partition("\n---\n")[2]
        text = SCHEDULE.sub(lambda match: taught.schedule_table(match[1]), text)
        text = notebooks.plain(BLOCK.sub("", text), f"book/workshop/{path.stem}", beside_pages)
        made[f"{path.stem}.md"] = f"{text}\n".encode()
    listed = "\n".join(f"Not in it, since it was not executed: {page}." for page in missing)
    return {**made, "README.md": f"{README}{listed}".encode(), **learner.needed()}


def beside_pages(page: str) -> str:
    """Return where a link leads from a page in the instructor's zip."""
    folder, _, name = page.rpartition("/")
    return f"{name}.md" if folder == "book/workshop" else pages.published(page)


def main(folder: str = "") -> int:
    """Make all files anew, and say what there is; into another folder what the site has."""
    missing = make(Path(folder or OUT))
    if missing and not folder:
        print(f"error: not executed: {', '.join(missing)}. Run make workshop.", file=sys.stderr)
        return 1
    print(
        f"In {os.path.relpath(folder or OUT)}: learner.zip, to give out, and instructor.zip, to "
        "teach from, with what is in them. In a deck, S shows the speaker's notes."
    )
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit("\nInterrupted: run make workshop again.")
