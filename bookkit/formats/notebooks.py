"""The chapters as notebooks in plain Markdown: for students, for instructors, and for Colab.

Run as a module, it writes those for students into a folder; with `--colab`, those that Google Colab
opens, of the foundations. The workflow `book` puts these on the branch `notebooks`.
"""

import re
import sys
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from bookkit import casebook, entries, exercises, pages, predictions, versions
from bookkit.outputs import anywhere_without_paths
from bookkit.taught import MINUTES, foundations, taught

GUIDE = pages.BOOK / "workshop" / "instructor-guide.md"
INCLUDED = re.compile(r"^```\{literalinclude\} (\S+)\n:start-at: import\n:[^\n]*\n```$", re.M)
CARD = re.compile(r"^```\{front-card\}\n```$", re.M)
CASES = re.compile(r"^```\{case-table\} (\S+)\n```$", re.M)
NO_WORDS = re.compile(
    r"^(<!--.*-->|</?details.*>|(<span id=\"[\w-]+\"></span>)+|```\{drawing\}.*\n```)\n+", re.M
)
MARK = re.compile(r"\{inline-mark\}`\w+: ([^`]+)`")
SOLUTION, NOTES = "solution", "instructor"
LINK = re.compile(r"\[([^\]]*)\]\(/(book/[\w/-]+)\.md(#[\w-]+)?\)")
LABEL = re.compile(r"^\([\w-]+\)=\n+", re.M)
ANCHOR = re.compile(r"\[([^\]]+)\]\(#[\w-]+\)")
FIRST = """\
*How to work with this notebook.* Run the cells from the top, with Shift+Enter. A cell that begins
with `%%then` runs on the stack of August 2024, which has its own variables. Some cells are meant to
fail; the text says which. After a restart of the kernel, go to where you were and choose
*Run > Run All Above Selected Cell*. If the notebook is open twice, close one: each window has its
own copy, and the last one saved wins."""
# What the foundations import. IPython and its kernel are Colab's own, and stay.
PINNED = ("jax", "numpyro", "equinox", "scipy")
SIBLING = re.compile(r"\]\(([\w-]+)\.ipynb\)")
IN_COLAB = """\
*In Colab.* Run the first cell: it installs the releases of the book, in about a minute. Where Colab
then offers to restart the session, accept, and go on with the next cell."""


def card(page: str) -> str:
    """Return a chapter's front card as Markdown that any notebook shows."""
    head = pages.meta(page)["chapter"]
    failure = entries.chapters()[Path(page).name]
    rows = {
        "Symptom": failure.symptom,
        "Message": f"`{failure.message}`",
        "Versions": versions.sentence(failure.name),
        "Time": MINUTES.format(**head["minutes"]),
        "Needs": ", ".join(link(f"book/{need['page']}") for need in head["prerequisites"]),
    }
    goals = "\n".join(f"- {goal}" for goal in head["objectives"])
    table = "\n".join(f"| **{key}** | {value} |" for key, value in rows.items())
    return f"| | |\n|---|---|\n{table}\n\nAfter this chapter you can\n\n{goals}"


def link(page: str, text: str = "") -> str:
    """Return a link to a page's notebook, or to the page where it has none."""
    text = text or pages.title(page)
    file = f"{Path(page).name}.ipynb" if page in taught() else pages.published(page)
    return f"[{text}]({file})"


def plain(text: str, page: str) -> str:
    """Return a page's Markdown without what only the book's site understands."""
    text = CARD.sub(lambda found: card(page), text)
    text = INCLUDED.sub(lambda found: f"```python\n{source(found[1])}\n```", text)
    text = CASES.sub(lambda found: casebook.family_table(found[1]), text)
    text = MARK.sub(r"(\1)", text)
    text = NO_WORDS.sub("", text)
    text = predictions.written(text, predictions.as_markdown)
    text = LABEL.sub("", text)
    text = LINK.sub(lambda found: link(found[2], found[1]), text)
    return ANCHOR.sub(r"*\1*", text).strip()


def source(file: str) -> str:
    """Return a file of the repository from its first import on, as the page shows it."""
    text = (pages.ROOT / file.lstrip("/")).read_text()
    first = re.search(r"^(import|from) ", text, re.M)
    return text[first.start() if first else 0 :].rstrip()


def read(page: str) -> NotebookNode:
    """Read a page as a notebook in plain Markdown, with its solutions tagged `SOLUTION`."""
    source = pages.read_notebook(pages.path_of(page))
    cells, before = [], ("", "")
    for part, title, cell in exercises.walk(source.cells):
        made = [cell]
        if cell.cell_type == "markdown":
            text = plain(re.sub(r"\A(:\w+:.*\n)*```\n", "", f"{cell.source}\n"), page)
            made = [new_markdown_cell(text)] if text else []
        if part and (part, title) != before:
            heading = f"### {title}" if part == "given" else "#### Solution"
            made.insert(0, new_markdown_cell(heading))
        before = part, title
        for one in made if part == SOLUTION else ():
            one.metadata.setdefault("tags", []).append(SOLUTION)
        cells += made
    notebook = nbformat.v4.new_notebook(cells=cells, metadata=source.metadata)
    notebook.metadata.title = pages.title(page)
    del notebook.metadata["source_map"]
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"
    return notebook


def student(page: str) -> NotebookNode:
    """Return a page's notebook for learners: no solutions, no outputs, no expectations."""
    notebook = read(page)
    notebook.cells = [c for c in notebook.cells if SOLUTION not in c.metadata.get("tags", [])]
    for cell in notebook.cells:
        for key in ("expect", "mystnb"):
            cell.metadata.pop(key, None)
    notebook.metadata.pop("chapter", None)
    notebook.cells.insert(1, new_markdown_cell(FIRST, id="how-to"))
    return notebook


def colab(page: str) -> NotebookNode:
    """Return a page's notebook for Colab, whose first cell installs the releases of the book."""
    notebook = student(page)
    places = {Path(other).name: pages.published(other) for other in taught()}
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = SIBLING.sub(lambda found: f"]({places[found[1]]})", cell.source)
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
    if "chapter" in pages.meta(page):
        minutes = MINUTES.format(**pages.meta(page)["chapter"]["minutes"])
        text = f"## For the instructor\n\nTime: {minutes}.\n\n{plain(notes, page)}"
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


if __name__ == "__main__":
    folder, *asked = sys.argv[1:]
    make, names = (colab, foundations()) if asked == ["--colab"] else (student, taught())
    for name in names:
        write(Path(folder, f"{Path(name).name}.ipynb"), nbformat.writes(make(name)))
    print(f"{len(names)} notebooks are in {folder}.")
