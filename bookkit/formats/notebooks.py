"""The pages as notebooks in plain Markdown: for learners, for instructors, and for Colab.

Run as a module, it writes the notebook of each page that has cells, and an index of them, into a
folder: into `notebooks` what `make lab` and Binder open. A notebook that a learner has changed
stays as it is. With `--download` behind the folder, it writes what the site offers; with `--colab`,
what Google Colab opens, of the foundations. The workflow `book` puts these on the branch
`notebooks`.
"""

import hashlib
import json
import os
import posixpath
import re
import sys
from collections.abc import Callable
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from bookkit import (
    avoid,
    casebook,
    entries,
    examined,
    exercises,
    pages,
    predictions,
    versions,
)
from bookkit.outputs import anywhere_without_paths
from bookkit.taught import IN_ROOM, MINUTES, NOTEBOOKS, foundations, place, taught, with_cells

OUT = pages.ROOT / NOTEBOOKS
INDEX = "index.md"
MADE = "trace_evidence"  # the key of a notebook's metadata that has its `digest` when it was made
GUIDE = pages.BOOK / "workshop" / "instructor-guide.md"
INCLUDED = re.compile(r"^```\{literalinclude\} (\S+)\n:start-at: import\n:[^\n]*\n```$", re.M)
CARD = re.compile(r"^```\{(front|case)-card\}\n```$", re.M)
TABLE = re.compile(r"^```\{(case-table|avoid-counted|examined-\w+)\}( \S+)?\n```$", re.M)
TABLES: dict[str, Callable[..., str]] = {
    "avoid-counted": avoid.counted_table,
    "case-table": casebook.family_table,
    "examined-cases": examined.cases_table,
    "examined-corpus": examined.corpus_table,
    "examined-sixties": examined.sixties_table,
}
FOLD = re.compile(r"^(`{3,})\{admonition\} ([^\n]*)\n:class: dropdown\n(.*?)^\1$", re.M | re.S)
NO_WORDS = re.compile(
    r"^(<!--.*-->|</?details.*>|```\{(drawing|matrix-strip|reveal)\}.*\n```)\n+", re.M
)
MARK = re.compile(r"\{inline-mark\}`\w+: ([^`]+)`")
SEARCHED = re.compile(r"\{searched\}`([^`]+)`")
FAMILY = re.compile(r"\{ref\}`([^`]+) <(family-\w+)>`")
PLACES = re.compile(r"^(<span id=\"[\w-]+\"></span>)+\n+", re.M)
JUMP = re.compile(r" \[Jump to [^]]*\]\(#[\w-]+\)\.")
EXERCISE, SOLUTION, NOTES = "exercise", "solution", "instructor"
LINK = re.compile(r"\[([^\]]*)\]\(/(book/[\w/-]+)\.md(#[\w-]+)?\)")
LABEL = re.compile(r"^\([\w-]+\)=\n+", re.M)
ANCHOR = re.compile(r"\[([^\]]+)\]\(#[\w-]+\)")
FIRST = """\
*How to work with this notebook.* Run the cells from the top, with Shift+Enter. {stacks}Some cells
are meant to fail. After a restart of the kernel, go to where you were and choose *Run > Run All
Above Selected Cell*. If the notebook is open twice, close one: each window has its own copy, and
the last one saved wins. What the cells show{solutions} is on [the page]({page})."""
STACKS = """\
A cell that begins with `%%then` runs on the stack of August 2024, which has its own variables; one
that begins with `%%both` runs on both stacks. """
DOWNLOADED = """\
*Where it runs.* In the environment of the book, as after [its setup]({setup}), or in Binder."""
START = """\
# Trace Evidence, as notebooks

Each page of the [book]({book}) that has cells is a notebook here, in the order of the book.
What you change in a notebook stays; this list is made anew each time.

**In a workshop**, open [the bare notebooks]({room}), which do not say what a program does."""
# What the foundations import. IPython and its kernel are Colab's own, and stay.
PINNED = ("jax", "numpyro", "equinox", "scipy")
IN_COLAB = """\
*In Colab.* Run the first cell: it installs the releases of the book, in about a minute. Where Colab
then offers to restart the session, accept, and go on with the next cell."""


To = Callable[[str], str]
"""Says where a link to a page leads."""


def beside(page: str) -> str:
    """Return a page's notebook among those of the workshop, or the page where it has none."""
    return f"{Path(page).name}.ipynb" if page in taught() else pages.published(page)


def among_all(here: str) -> To:
    """Return where links lead from the notebook of a page, where all notebooks are there."""

    def to(page: str) -> str:
        if page not in with_cells():
            return pages.published(page)
        return posixpath.relpath(place(page), posixpath.dirname(place(here)))

    return to


def card(page: str) -> str:
    """Return the card at the top of a chapter or a case as Markdown that any notebook shows."""
    failure = entries.by_name()[Path(page).name]
    if failure.form == entries.CASE:
        shown, folded = casebook.rows_of_card(failure)
        behind_fold = "\n\n".join(f"**{key}.** {value}" for key, value in folded.items())
        return f"{as_rows(shown)}\n\n{as_fold('Show cause, cure and reports', behind_fold)}"
    head = pages.meta(page)["chapter"]
    lines = {
        "Symptom": failure.symptom,
        "Message": f"`{failure.message}`",
        "Versions": versions.sentence(failure.name),
        "Time": MINUTES.format(**head["minutes"]),
        "Needs": ", ".join(f"[](/book/{need['page']}.md)" for need in head["prerequisites"]),
    }
    goals = "\n".join(f"- {goal}" for goal in head["objectives"])
    return f"{as_rows(lines)}\n\nAfter this chapter you can\n\n{goals}"


def as_rows(lines: dict[str, str]) -> str:
    """Return a table of two columns without a head, as Markdown."""
    return "\n".join(["| | |", "|---|---|", *(f"| **{k}** | {v} |" for k, v in lines.items())])


def as_fold(summary: str, text: str) -> str:
    """Return Markdown folded away below a line."""
    return f"<details><summary>{summary}</summary>\n\n{text.strip()}\n\n</details>"


def link(match: re.Match, to: To) -> str:
    """Return a link to a page with its text, or its title; a notebook has no anchors."""
    text, page, anchor = match[1] or pages.title(match[2]), match[2], match[3] or ""
    address = to(page)
    return f"[{text}]({address}{anchor if address == pages.published(page) else ''})"


def plain(text: str, page: str, to: To = beside) -> str:
    """Return a page's Markdown without what only the book's site understands."""
    text = NO_WORDS.sub("", text)
    text = CARD.sub(lambda match: card(page), text)
    text = INCLUDED.sub(lambda match: f"```python\n{source(match[1])}\n```", text)
    text = TABLE.sub(lambda match: TABLES[match[1]](*(match[2] or "").split()), text)
    text = MARK.sub(r"(\1)", text)
    text = SEARCHED.sub(r"We found no report (searched for: \1)", text)
    text = FAMILY.sub(rf"[\1](/{pages.page_name(entries.FAMILIES)}.md#\2)", text)
    text = PLACES.sub("", JUMP.sub("", text))
    text = FOLD.sub(lambda match: as_fold(match[2], match[3]), text)
    text = predictions.written(text, predictions.as_markdown)
    text = LABEL.sub("", text)
    text = LINK.sub(lambda match: link(match, to), text)
    return ANCHOR.sub(r"*\1*", text).strip()


def source(file: str) -> str:
    """Return a file of the repository from its first import on, as the page shows it."""
    text = (pages.ROOT / file.lstrip("/")).read_text()
    first = re.search(r"^(import|from) ", text, re.M)
    return text[first.start() if first else 0 :].rstrip()


def read(page: str, to: To = beside) -> NotebookNode:
    """Read a page as a notebook in plain Markdown, with tags on its exercises and solutions."""
    source = pages.read_notebook(pages.path_of(page))
    cells, before = [], ("", "")
    for part, title, cell in exercises.walk(source.cells):
        made = [cell]
        if cell.cell_type == "markdown":
            text = plain(re.sub(r"\A(:\w+:.*\n)*```\n", "", f"{cell.source}\n"), page, to)
            made = [new_markdown_cell(text)] if text else []
        if part and (part, title) != before:
            heading = f"### {title}" if part == "given" else "#### Solution"
            made.insert(0, new_markdown_cell(heading))
        before = part, title
        for added in made if part else ():
            added.metadata.setdefault("tags", []).append(EXERCISE if part == "given" else SOLUTION)
        cells += made
    notebook = nbformat.v4.new_notebook(cells=cells, metadata=source.metadata)
    notebook.metadata.title = pages.title(page)
    del notebook.metadata["source_map"]
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"
    return notebook


def reader(page: str, to: To = beside) -> NotebookNode:
    """Return a page's notebook for readers: no solutions, no outputs, no expectations."""
    notebook = read(page, to)
    notebook.cells = [c for c in notebook.cells if SOLUTION not in c.metadata.get("tags", [])]
    for cell in notebook.cells:
        for key in ("expect", "mystnb"):
            cell.metadata.pop(key, None)
        if "laboratory" in cell.metadata.get("tags", []):
            cell.metadata["jupyter"] = {"source_hidden": True}
    for key in ("chapter", "entry", "description", "jupytext"):
        notebook.metadata.pop(key, None)
    solutions = ", with the solutions of exercises," * bool(exercises.find(pages.path_of(page)))
    first = FIRST.format(
        stacks=STACKS * uses_both(notebook.cells), solutions=solutions, page=pages.published(page)
    )
    title, _, text = notebook.cells[0].source.partition("\n\n")
    opening = [(title, "title"), (first, "how-to"), (text, "opening")]
    notebook.cells[:1] = [new_markdown_cell(words, id=name) for words, name in opening if words]
    return notebook


def uses_both(cells: list[NotebookNode]) -> bool:
    """Tell whether any of some cells runs on the stack of August 2024."""
    return any(cell.source.startswith(("%%then", "%%both")) for cell in cells)


def in_folder(page: str) -> NotebookNode:
    """Return a learner's notebook that stands among all others, and knows what it was made as."""
    notebook = reader(page, among_all(page))
    notebook.metadata[MADE] = {"made": digest(notebook)}
    return notebook


def download(page: str) -> NotebookNode:
    """Return a learner's notebook that stands alone: its links lead to the site."""
    notebook = reader(page, pages.published)
    setup = DOWNLOADED.format(setup=pages.published("book/workshop/set-up"))
    notebook.cells[1].source += f"\n\n{setup}"
    return notebook


def colab(page: str) -> NotebookNode:
    """Return a page's notebook for Colab, whose first cell installs the releases of the book."""
    notebook = reader(page, pages.published)
    lock = (pages.ROOT / "requirements.txt").read_text()
    locked = dict(re.findall(r"^([\w-]+)==([^\s;\\]+)", lock, re.M))
    pins = " ".join(f"{name}=={locked[name]}" for name in PINNED)
    repository = pages.config()["repository"]
    package = f"trace-evidence @ git+{repository['url']}@{repository['branch']}"
    install = f'%pip install -q {pins} matplotlib "{package}"'
    notebook.cells[1] = new_markdown_cell(IN_COLAB, id="how-to")
    notebook.cells.insert(2, new_code_cell(install, id="install"))
    return notebook


def instructor(page: str, executed: NotebookNode) -> NotebookNode:
    """Return a page's notebook for the instructor: solutions, outputs, notes, expected errors.

    Args:
        page: the page, as the table of contents names it.
        executed: the page with its outputs, as the book's cache holds it.
    """
    notebook = read(page)
    done = [cell for cell in executed.cells if cell.cell_type == "code"]
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for cell, with_outputs in zip(code, done, strict=True):
        cell.outputs = [anywhere_without_paths(output) for output in with_outputs.outputs]
        cell.execution_count = None
    cells = []
    for cell in notebook.cells:
        expect, tags = cell.metadata.get("expect", {}), cell.metadata.get("tags", [])
        does = ""
        if "raises" in expect:
            does = f"is meant to raise `{expect['raises']}`"
        elif "silent-failure" in tags:
            does = "wastes time or memory" if "wasteful" in tags else "gives the wrong result"
            does += " and raises nothing"
        if does:
            note, about = f"> *Instructor:* this cell {does}.", {"tags": [NOTES]}
            cells.append(new_markdown_cell(note, id=f"{cell.id}-note", metadata=about))
        cells.append(cell)
    notes = guide().get(pages.title(page), "")
    if notes:
        head = pages.meta(page).get("chapter")
        time = f"Time: {MINUTES.format(**head['minutes'])}.\n\n" if head else ""
        text = f"## For the instructor\n\n{time}{plain(notes, page)}"
        cells.insert(1, new_markdown_cell(text, id="notes", metadata={"tags": [NOTES]}))
    notebook.cells = cells
    return notebook


def guide() -> dict[str, str]:
    """Return the instructor guide's part on each chapter, by the chapter's title."""
    parts = re.split(r"^## (.+)$", GUIDE.read_text(), flags=re.M)
    return dict(zip(parts[1::2], (part.strip() for part in parts[2::2]), strict=True))


def write(file: Path, text: str | bytes) -> None:
    """Write a file, and the folder that it stands in."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode() if isinstance(text, str) else text)


def digest(notebook: NotebookNode) -> str:
    """Return one hash of what a learner changes: the texts of the cells, and their outputs."""
    cells = [(cell.cell_type, cell.source, cell.get("outputs", [])) for cell in notebook.cells]
    return hashlib.sha256(json.dumps(cells).encode()).hexdigest()


def is_as_made(file: Path) -> bool:
    """Tell whether a notebook holds what was once written there, and nothing else."""
    try:
        notebook = nbformat.read(file, as_version=4)
        return notebook.metadata[MADE]["made"] == digest(notebook)
    except (ValueError, KeyError, AttributeError, TypeError):  # whatever it is, it is a learner's
        return False


def all_of_folder() -> dict[str, NotebookNode]:
    """Return the notebooks of all pages, and the bare ones of a workshop, by their place."""
    from . import learner  # which reads pages by this module

    bare = {f"{IN_ROOM}/{name}": notebook for name, notebook in learner.all_bare().items()}
    for notebook in bare.values():
        notebook.metadata[MADE] = {"made": digest(notebook)}
    return {place(page): in_folder(page) for page in with_cells()} | bare


def bring_up_to_date(folder: Path) -> list[str]:
    """Write all notebooks into a folder; return the names of those that a learner has changed."""
    from . import learner

    changed = []
    for name, notebook in all_of_folder().items():
        file, text = folder / name, nbformat.writes(notebook)
        if file.exists() and file.read_text() == text:
            continue
        if file.exists() and not is_as_made(file):
            changed.append(name)
            continue
        new = file.with_name(f".{file.name}.new")
        write(new, text)
        os.replace(new, file)
    write(folder / INDEX, start_page())
    write(folder / IN_ROOM / INDEX, learner.start_page())
    return changed


def start_page() -> str:
    """Return the index of the notebooks, part by part."""
    lines, part = (
        [START.format(book=pages.published(pages.contents()[0].page), room=f"{IN_ROOM}/{INDEX}")],
        "",
    )
    for item in pages.contents():
        if item.page in with_cells():
            if item.part != part:
                part = item.part
                lines.append(f"\n## {part}\n")
            lines.append(f"- [{pages.title(item.page)}]({place(item.page)})")
    return "\n".join(lines) + "\n"


def main(folder: str = str(OUT), how: str = "") -> None:
    """Write the notebooks that were asked for, and say where they are."""
    where = os.path.relpath(folder)
    if not how:
        if changed := bring_up_to_date(Path(folder)):
            names = ", ".join(changed[:5]) + (" and others" if changed[5:] else "")
            print(f"Left in {where} as you changed them: {names}. Rename one, to get it anew.")
        print(f"{len(with_cells())} notebooks are in {where}, listed in {where}/{INDEX}.")
        return
    for_colab = how == "--colab"
    for page in foundations() if for_colab else with_cells():
        file = Path(folder, f"{Path(page).name}.ipynb" if for_colab else place(page))
        write(file, nbformat.writes(colab(page) if for_colab else download(page)))
    print(f"The notebooks are in {where}.")


if __name__ == "__main__":
    main(*sys.argv[1:])
