"""The learner edition: of each page that is taught a bare notebook for the room, and a zip of all.

A bare notebook has a title, what to do, the programs of the deck, the exercises and their checks.
A program that the room votes on or types is left empty; a second notebook has it, for whoever falls
behind. Neither says what a program does. Nothing is executed for them. Run as a module, it writes
the zip: `python -m bookkit.formats.learner FILE`.
"""

import os
import re
import symtable
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from bookkit import decks, pages, predictions
from bookkit.taught import IN_ROOM, taught
from trace_evidence import both, checkout, names

from . import notebooks

NAME = "trace-evidence-workshop"  # the folder in the zip
HOW = """\
*How to work with this notebook.* Run the cells from the top, with Shift+Enter. {empty}{stacks}After
the workshop, [the page]({page}) has what the cells show{solutions}."""
EMPTY = """\
A cell is empty where the room votes, or types with the instructor. Whoever falls behind copies the
program from [this notebook with its programs]({programs}). """
SLIDE = {
    "vote": "Vote first. Then type the program of the slide, and run it.",
    "type": "Type the program of the slide, and run it.",
    "show": "Run it when the slide is shown.",
}
OWN = "# Is anything wrong, and which line brings it about? Compute it a second way here."
SHOWN = re.compile(rf"{predictions.BLOCK.pattern}|^##+ [^\n]+$", re.M | re.S)
# Without hashes: pip of Python 3.12.1 stops at a package with an extra whose hash it looks for.
LOCKS = {
    "requirements.txt": "binder/requirements.txt",
    "requirements-then.txt": "evidence/stacks/then.txt",
}
HEAD = re.compile(r"(?:(?:%|import |from ).*\n|\n)*")  # of a cell: its magics and imports
LEFT_OUT = {"hide-input", "hide-cell"}
START = """\
# Trace Evidence, for the room

Open a notebook when its part of the workshop begins. Beside one with empty cells stands another
with their programs, for whoever falls behind.

{listed}
"""
INSTALL = """
## Install what they need

With Python 3.12, in this folder:

    python3.12 -m venv .venv
    .venv/bin/python -m pip install -r requirements.txt
    .venv/bin/jupyter lab

A cell that begins with `%%both` then runs on today's releases alone. These lines add the stack of
August 2024:

    python3.12 -m venv .venv-then
    .venv-then/bin/python -m pip install -r requirements-then.txt
    .venv-then/bin/python -m ipykernel install --prefix .venv --name then
"""


def bare(page: str, filled: bool = False) -> NotebookNode:
    """Return the bare notebook of a page.

    Args:
        page: its name, as the table of contents has it.
        filled: whether it has the programs that the room votes on or types.
    """
    notebook = notebooks.reader(page, pages.published)
    source = pages.read_notebook(pages.path_of(page)).cells
    if decks.deck(page).exists():
        cells = [*of_deck(page, notebook.cells, filled), *exercises_of(notebook)]
    elif any("laboratory" in cell.metadata.get("tags", []) for cell in source):
        cells = [*without_labels(page, source)]
    else:
        cells = [*of_page(page, source, filled)]
    code = [cell for cell in cells if cell.cell_type == "code"]
    # *Run All* does not stop where a cell above is empty, or an answer fails.
    for cell in cells:
        cell.metadata = {"tags": ["raises-exception"]} if cell in code[1:] else {}
    is_open = has_programs(page) and not filled
    solutions = ", and the solutions" * any("%check" in cell.source for cell in code)
    how = HOW.format(
        empty=EMPTY.format(programs=file_of(page, filled=True)) * is_open,
        stacks=notebooks.STACKS * notebooks.uses_both(code),
        page=pages.published(page), solutions=solutions,
    )  # fmt: skip
    title = f"# {pages.title(page)}"
    notebook.cells = [new_markdown_cell(title), new_markdown_cell(how), *cells]
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
    return notebook


def file_of(page: str, filled: bool = False) -> str:
    """Return the name of a page's bare notebook, or of that with its programs."""
    return f"{Path(page).name}{'-programs' * filled}.ipynb"


def has_programs(page: str) -> bool:
    """Tell whether a page has programs that its bare notebook leaves out."""
    return bool(decks.programs(page)) or bool(asked(page))


def asked(page: str) -> set[str]:
    """Return the names of the cells that a page without a deck asks about."""
    if decks.deck(page).exists():
        return set()
    cells = pages.read_notebook(pages.path_of(page)).cells
    shown = {c.metadata.get("name") for c in cells if not LEFT_OUT & {*c.metadata.get("tags", [])}}
    questions = predictions.find(pages.read(pages.path_of(page)))
    return shown & {one.options["cell"] for one in questions}


def program(cell: NotebookNode, words: str = "") -> NotebookNode:
    """Return a cell without the assertions at its end, or with words instead of its program.

    What a slide does not show stays: magics and imports.
    """
    source = pages.split_asserts(cell.source)[0]
    head = HEAD.match(source + "\n")
    return new_code_cell(f"{head[0]}# {words}" if words and head else source)


def of_deck(page: str, cells: list[NotebookNode], filled: bool) -> list[NotebookNode]:
    """Return the programs of a chapter's deck, in its order, and what they and exercises need."""
    shown = decks.programs(page)
    code = [cell for cell in cells if cell.cell_type == "code"]
    wanted = [c for c in code if is_task(c) or c.metadata.get("name") in shown]
    found, slide = [], 0
    for cell in live(code, wanted):
        if is_task(cell):
            continue
        slide, kind = shown.get(cell.metadata.get("name"), (slide, ""))
        is_open = kind in ("vote", "type") and not filled
        made = [new_markdown_cell(f"**Slide {slide}.** {SLIDE[kind]}")] if kind else []
        found.append((slide, [*made, program(cell, f"Slide {slide}" * is_open)]))
    return [one for _, made in sorted(found, key=lambda pair: pair[0]) for one in made]


def is_task(cell: NotebookNode) -> bool:
    """Tell whether a cell belongs to an exercise."""
    return notebooks.EXERCISE in cell.metadata.get("tags", [])


def exercises_of(notebook: NotebookNode) -> list[NotebookNode]:
    """Return the exercises of a page, with their checks."""
    tasks = [cell for cell in notebook.cells if is_task(cell)]
    for cell in tasks:
        cell.source = pages.split_asserts(cell.source)[0]
    return [new_markdown_cell("## Exercises"), *tasks] if tasks else []


def of_page(page: str, source: list[NotebookNode], filled: bool) -> Iterator[NotebookNode]:
    """Yield the headings of a page without a deck, its questions, and its programs."""
    code = [cell for cell in source if cell.cell_type == "code"]
    wanted = [cell for cell in code if not LEFT_OUT & {*cell.metadata.get("tags", [])}]
    kept, open_ones = live(code, wanted), set() if filled else asked(page)
    for cell in source:
        if cell in kept:
            is_open = cell.metadata.get("name") in open_ones
            yield program(cell, "Vote first. Then type the program that is shown." * is_open)
        for found in SHOWN.finditer(cell.source) if cell.cell_type == "markdown" else ():
            text = predictions.written(found[0], question)
            yield new_markdown_cell(notebooks.plain(text, page, pages.published))


def question(one: predictions.Prediction) -> str:
    """Return a prediction as a question alone."""
    first, *rest = one.question
    answers = "\n".join(predictions.listed(answer for answer, _ in one.answers))
    return "\n\n".join([f"**Predict.** {first}", *rest, answers])


def without_labels(page: str, source: list[NotebookNode]) -> Iterator[NotebookNode]:
    """Yield the programs of a page that gives none a label, each with room for a second one."""
    told = ""
    for cell in source:
        if cell.cell_type == "markdown":
            told = cell.source.partition("## ")[2]
        elif "laboratory" not in cell.metadata.get("tags", []):
            if told:
                yield new_markdown_cell(notebooks.plain(f"## {told}", page, pages.published))
            yield program(cell)
            if told:
                yield new_code_cell(OWN)


def live(cells: list[NotebookNode], wanted: list[NotebookNode]) -> list[NotebookNode]:
    """Return the first cell, those wanted, and those that make a name which one of these reads."""
    kept: list[NotebookNode] = []
    missing: set[tuple[str, str]] = set()
    for cell in reversed(cells):
        stacks = {"%%then": ("then",), "%%both": (*both.SIDES,)}
        there = stacks.get(cell.source.partition("\n")[0], ("now",))
        made, used = (
            {(side, name) for side in there for name in found(cell.source)}
            for found in (names.made_by, read_by)
        )
        if cell in wanted or cell is cells[0] or made & missing:
            kept.insert(0, cell)
            missing = (missing - made) | used
    return kept


def read_by(code: str) -> set[str]:
    """Return the names that a cell reads and does not make."""
    rows = ["" if row.startswith("%") else row for row in code.splitlines()]
    tables, found = [symtable.symtable("\n".join(rows), "cell", "exec")], set()
    for table in tables:
        tables += table.get_children()
        top = table.get_type() == "module"
        read = (one for one in table.get_symbols() if one.is_referenced())
        # At the top, what is assigned too is made there, or lives in a comprehension.
        found |= {
            one.get_name() for one in read if one.is_global() and not (top and one.is_assigned())
        }
    return found - names.made_by(code)


def all_bare() -> dict[str, NotebookNode]:
    """Return the bare notebooks, and those with their programs, by the name of the file."""
    full = [page for page in taught() if has_programs(page)]
    made = {file_of(page): bare(page) for page in taught()}
    return made | {file_of(page, filled=True): bare(page, filled=True) for page in full}


def start_page() -> str:
    """Return the list of the bare notebooks."""
    listed = "\n".join(f"- [{pages.title(page)}]({file_of(page)})" for page in taught())
    return START.format(listed=listed)


def files() -> dict[str, str]:
    """Return the notebooks and their list, by the name of the file."""
    made = {name: nbformat.writes(notebook) for name, notebook in all_bare().items()}
    return {notebooks.INDEX: start_page(), **made}


def write_zip(file: Path) -> None:
    """Write the zip: the notebooks, what they import of ours, and the locks of what they need."""
    checkout.bring_up_to_date()
    found = {name: text.encode() for name, text in files().items()}
    found[notebooks.INDEX] += INSTALL.encode()
    for package in (pages.ROOT / "trace_evidence", pages.ROOT / "examine" / "examine_model"):
        for one in package.rglob("*"):
            if one.is_file() and one.suffix != ".pyc":
                found[f"{package.name}/{one.relative_to(package)}"] = one.read_bytes()
    for name, lock in LOCKS.items():
        pins = re.findall(r"^[\w.-]+==[^\\\n]+", (pages.ROOT / lock).read_text(), re.M)
        found[name] = "".join(f"{pin.rstrip()}\n" for pin in pins).encode()
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(".part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in sorted(found.items()):
            # Of a day without meaning: the same files make the same zip.
            packed.writestr(zipfile.ZipInfo(f"{NAME}/{name}"), content, zipfile.ZIP_DEFLATED)
    os.replace(part, file)


def main(file: str = "") -> None:
    """Write the zip, and say where it is."""
    where = Path(file or pages.BUILD / IN_ROOM / "learner.zip")
    write_zip(where)
    print(f"For learners: {os.path.relpath(where)}, {where.stat().st_size / 1e6:.1f} MB.")


if __name__ == "__main__":
    main(*sys.argv[1:])
