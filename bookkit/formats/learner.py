"""The learner edition: of each page that is taught a bare notebook for the room, and a zip of all.

A bare notebook has a title, what to do, the programs of the deck, the exercises and their checks.
A program that the room votes on or types is left empty; a second notebook has it, for whoever falls
behind. Neither says what a program does. Nothing is executed for them. Run as a module, it writes
the zip: `python -m bookkit.formats.learner FILE`.
"""

import json
import os
import re
import symtable
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from bookkit import decks, exercises, pages, predictions
from bookkit.taught import IN_ROOM, taught
from trace_evidence import both, checkout, names

from . import notebooks

NAME = "trace-evidence-workshop"  # the folder in the zip
HOW = """\
*How to work with this notebook.* Run the cells from the top, with Shift+Enter. {empty}{stacks}After
the workshop, [the page]({page}) has what the cells show{solutions}."""
EMPTY = """\
A cell is empty where the room votes, types or copies a program. Whoever falls behind copies it from
[this notebook with its programs]({programs}). """
SLIDE = {
    "type": "type the program of the slide, and run it.",
    "copy": "copy its program from [the other notebook]({programs}), and run it.",
    "run": "run it when the slide is shown.",
}
PLACES = ("first", "second", "third", "fourth")
IN_EXERCISE = "run its program, which stands below, in the exercise *{title}*."
OWN = "# Is anything wrong, and which line brings it about? Compute it a second way here."
SHOWN = re.compile(rf"{predictions.BLOCK.pattern}|^##+ [^\n]+$", re.M | re.S)
# Without hashes: pip of Python 3.12.1 stops at a package with an extra whose hash it looks for.
LOCKS = {
    "requirements.txt": "binder/requirements.txt",
    "requirements-then.txt": "evidence/stacks/then.txt",
}
HEAD = re.compile(r"(?:%.*\n)*")  # of a cell: its magics
LEFT_OUT = {"hide-input", "hide-cell"}
START = """\
# Trace Evidence, for the room

Before the day, run the two cells of [the first notebook](ready.ipynb). You are ready when the
second one prints a release of NumPyro on each side, *then* and *now*.

Open a notebook when its part of the workshop begins. Beside one with empty cells stands another
with their programs, for whoever falls behind.

{listed}
"""
READY = ["%load_ext trace_evidence", "%%both\nimport numpyro\n\nprint(numpyro.__version__)"]
INSTALL = """
## Install what they need

It takes two stacks: that of today, and that of August 2024, without which many slides of the
chapters have nothing to show. With Python 3.12, in this folder:

    python3.12 -m venv .venv
    .venv/bin/python -m pip install -r requirements.txt
    python3.12 -m venv .venv-then
    .venv-then/bin/python -m pip install -r requirements-then.txt
    .venv-then/bin/python -m ipykernel install --prefix .venv --name then
    .venv/bin/jupyter lab
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
    return shown & {prediction.options["cell"] for prediction in questions}


def program(cell: NotebookNode, words: str = "") -> NotebookNode:
    """Return a cell without the assertions at its end, or with words instead of its program."""
    source = pages.split_asserts(cell.source)[0]
    head = HEAD.match(source + "\n")
    return new_code_cell(f"{head[0]}# {words}" if words and head else source)


def of_deck(page: str, cells: list[NotebookNode], filled: bool) -> list[NotebookNode]:
    """Return the programs of a chapter's deck, in its order, and what they and exercises need."""
    parts = [part for cell in cells if cell.cell_type == "code" for part in parts_of(page, cell)]
    live_cells = live(
        [part.cell for part in parts], [part.cell for part in parts if part.is_wanted]
    )
    placed: list[tuple[tuple[int, ...], list[NotebookNode]]] = []
    place: tuple[int, ...] = (0,)
    for part in parts:
        shown = part.shown
        place = part.place or place
        if part.cell not in live_cells or (is_task(part.cell) and not shown):
            continue
        if not shown:  # it comes with what is next to it, and is given
            placed.append((place, [program(part.cell)]))
            continue
        number, count = shown.place
        label = f"Slide {shown.slide}" + f", {PLACES[number - 1]} program" * (count > 1)
        words = label * (shown.kind != "run" and not filled)
        made = [] if is_task(part.cell) else [program(part.cell, words)]
        placed.append((place, [new_markdown_cell(instruction(page, shown, label, filled)), *made]))
    return [cell for _, made in sorted(placed, key=lambda entry: entry[0]) for cell in made]


def instruction(page: str, shown: decks.Program, label: str, filled: bool) -> str:
    """Return what a learner does with a program of a slide."""
    does = SLIDE["run" if filled else shown.kind].format(programs=file_of(page, filled=True))
    for exercise in exercises.find(pages.path_of(page)):
        if shown.name in [cell.metadata.get("name") for cell in exercise.given]:
            does = IN_EXERCISE.format(title=exercise.title)
    first = "Vote first. Then " * shown.voted
    return f"**{label}.** {first}{does if first else does[0].upper() + does[1:]}"


class Part(NamedTuple):
    """A part of a cell: what a slide shows of it, or what no slide shows."""

    cell: NotebookNode
    place: tuple[int, ...] = ()  # by which parts are sorted
    shown: decks.Program | None = None
    is_wanted: bool = False  # even if nothing reads what it makes


def parts_of(page: str, cell: NotebookNode) -> Iterator[Part]:
    """Yield the parts of a cell.

    What no slide shows is copied or run with the rest; beside what is typed it is given. Where the
    cell is meant to fail, it is left out, unless something reads it: it may fail before the vote.
    """
    shown = [
        program for program in decks.programs(page) if program.name == cell.metadata.get("name")
    ]
    if is_task(cell) or not shown:
        first = shown[0] if shown else None
        yield Part(cell, (first.slide, first.place[0]) if first else (), first, is_task(cell))
        return
    magic = "".join(re.findall(r"\A%%.*\n", cell.source))
    loads = "".join(re.findall(r"^%\w.*\n", cell.source, re.M))  # with what is imported
    every = decks.statements(pages.split_asserts(cell.source)[0])
    by_slide, todo = [], every
    for on_slide in shown:
        by_slide.append(
            [statement for statement in todo if statement[0].startswith(on_slide.words or ("",))]
        )
        todo = [statement for statement in todo if statement not in by_slide[-1]]
    fails = "raises-exception" in cell.metadata.get("tags", [])
    last = max(every.index(statement) for statements in by_slide for statement in statements)
    before = [statement for statement in todo if every.index(statement) < last]
    after = [statement for statement in todo if statement not in before]
    if todo and shown[-1].kind != "type" and not fails:
        by_slide[-1] = [statement for statement in every if statement in [*by_slide[-1], *todo]]
        before = after = []

    def part(
        statements: list[tuple[str, str]], on_slide: decks.Program, step: int, is_shown: bool
    ) -> Part:
        source = "\n".join(text for _, text in statements).strip("\n")
        first = magic + loads * (not before or statements == before)
        made = new_code_cell(first + source, metadata=cell.metadata)
        return Part(
            made,
            (on_slide.slide, on_slide.place[0], step),
            on_slide if is_shown else None,
            not fails,
        )

    if before:
        yield part(before, shown[0], 0, False)
    for on_slide, statements in zip(shown, by_slide, strict=True):
        if statements:
            yield part(statements, on_slide, 1, True)._replace(is_wanted=True)
    if after:
        yield part(after, shown[-1], 2, False)


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
    live_cells, open_ones = live(code, wanted), set() if filled else asked(page)
    for cell in source:
        if cell in live_cells:
            is_open = cell.metadata.get("name") in open_ones
            yield program(cell, "Vote first. Then type the program that is shown." * is_open)
        for match in SHOWN.finditer(cell.source) if cell.cell_type == "markdown" else ():
            text = predictions.written(match[0], question)
            yield new_markdown_cell(notebooks.plain(text, page, pages.published))


def question(prediction: predictions.Prediction) -> str:
    """Return a prediction as a question alone."""
    first, *rest = prediction.question
    answers = "\n".join(predictions.listed(answer for answer, _ in prediction.answers))
    return "\n\n".join([f"**Predict.** {first}", *rest, answers])


def without_labels(page: str, source: list[NotebookNode]) -> Iterator[NotebookNode]:
    """Yield the programs of a page that gives none a label, each with room for a second one."""
    heading = ""
    for cell in source:
        if cell.cell_type == "markdown":
            heading = cell.source.partition("## ")[2]
        elif "laboratory" not in cell.metadata.get("tags", []):
            if heading:
                yield new_markdown_cell(notebooks.plain(f"## {heading}", page, pages.published))
            yield program(cell)
            if heading:
                yield new_code_cell(OWN)


def live(cells: list[NotebookNode], wanted: list[NotebookNode]) -> list[NotebookNode]:
    """Return the first cell, those wanted, and those that make a name which one of these reads."""
    needed: list[NotebookNode] = []
    missing: set[tuple[str, str]] = set()
    for cell in reversed(cells):
        stacks = {"%%then": ("then",), "%%both": (*both.SIDES,)}
        there = stacks.get(cell.source.partition("\n")[0], ("now",))
        made, used = (
            {(side, name) for side in there for name in names_in(cell.source)}
            for names_in in (names.made_by, read_by)
        )
        if cell in wanted or cell is cells[0] or made & missing:
            needed.insert(0, cell)
            missing = (missing - made) | used
    return needed


def read_by(code: str, inside: bool = True) -> set[str]:
    """Return the names that a cell reads and does not make, or only those outside its functions."""
    lines = ["" if line.startswith("%") else line for line in code.splitlines()]
    tables, used = [symtable.symtable("\n".join(lines), "cell", "exec")], set()
    for table in tables:
        tables += table.get_children() if inside else []
        top = table.get_type() == "module"
        read = (symbol for symbol in table.get_symbols() if symbol.is_referenced())
        # At the top, what is assigned too is made there, or lives in a comprehension.
        used |= {
            symbol.get_name()
            for symbol in read
            if symbol.is_global() and not (top and symbol.is_assigned())
        }
    return used - names.made_by(code)


def all_bare() -> dict[str, NotebookNode]:
    """Return the bare notebooks, and those with their programs, by the name of the file."""
    full = [page for page in taught() if has_programs(page)]
    made = {file_of(page): bare(page) for page in taught()}
    made |= {file_of(page, filled=True): bare(page, filled=True) for page in full}
    return {"ready.ipynb": ready(), **made}


def start_page() -> str:
    """Return the list of the bare notebooks."""
    listed = "\n".join(f"- [{pages.title(page)}]({file_of(page)})" for page in taught())
    return START.format(listed=listed)


def ready() -> NotebookNode:
    """Return the notebook by which a learner sees that both stacks answer."""
    title = new_markdown_cell("# Are both stacks there?", id="cell-0")
    cells = [new_code_cell(code, id=f"cell-{at}") for at, code in enumerate(READY, start=1)]
    return new_notebook(cells=[title, *cells], metadata=bare(taught()[0]).metadata)


def files() -> dict[str, str]:
    """Return the notebooks and their list, by the name of the file."""
    made = {name: nbformat.writes(notebook) for name, notebook in all_bare().items()}
    return {notebooks.INDEX: start_page(), **made}


def needed() -> dict[str, bytes]:
    """Return what notebooks import of ours, and the locks of what they need, by the file's name."""
    checkout.bring_up_to_date()
    contents = {}
    for package in (pages.ROOT / "trace_evidence", pages.ROOT / "examine" / "examine_model"):
        for file in package.rglob("*"):
            if file.is_file() and file.suffix != ".pyc":
                contents[f"{package.name}/{file.relative_to(package)}"] = file.read_bytes()
    for name, lock in LOCKS.items():
        pins = re.findall(r"^[\w.-]+==[^\\\n]+", (pages.ROOT / lock).read_text(), re.M)
        contents[name] = "".join(f"{pin.rstrip()}\n" for pin in pins).encode()
    return contents


def without_answers(contents: dict[str, bytes]) -> dict[str, bytes]:
    """Return the same files, without causes and cures of chapters, and without refused answers."""
    contents = dict(contents)
    data = json.loads(contents["trace_evidence/data.json"])
    chapters = [chapter for chapter in data["explain"].values() if chapter["kind"] == "chapter"]
    answers = {chapter[key] for chapter in chapters for key in ("cause", "cure")}
    for chapter in chapters:
        chapter |= {"cause": "", "cure": "After the workshop, see the page."}
    for words in data["words"].values():
        words["texts"] = {key: text for key, text in words["texts"].items() if key not in answers}
    contents["trace_evidence/data.json"] = json.dumps(data).encode()
    for name in contents:
        if name.startswith("trace_evidence/exercises/") and name.endswith(".md"):
            contents[name] = contents[name].partition(b"## Refused\n")[0]
    return contents


def write_zip(file: Path) -> None:
    """Write the zip for learners: the notebooks, and what they need."""
    contents = {name: text.encode() for name, text in files().items()}
    contents[notebooks.INDEX] += INSTALL.encode()
    pack(file, NAME, contents | without_answers(needed()))


def pack(file: Path, folder: str, contents: dict[str, bytes]) -> None:
    """Write files into a folder of a zip."""
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(".part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in sorted(contents.items()):
            # Of a day without meaning: the same files make the same zip.
            packed.writestr(zipfile.ZipInfo(f"{folder}/{name}"), content, zipfile.ZIP_DEFLATED)
    os.replace(part, file)


def main(file: str = "") -> None:
    """Write the zip, and say where it is."""
    where = Path(file or pages.BUILD / IN_ROOM / "learner.zip")
    write_zip(where)
    print(f"For learners: {os.path.relpath(where)}, {where.stat().st_size / 1e6:.1f} MB.")


if __name__ == "__main__":
    main(*sys.argv[1:])
