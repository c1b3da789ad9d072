"""What a reader opens is a notebook: made from the pages, whole, and never over a reader's work."""

import json
import re
from itertools import pairwise
from pathlib import Path

import nbformat
import pytest
from markdown_it import MarkdownIt
from myst_nb.core.read import myst_nb_reader_plugin

from bookkit import pages, taught
from bookkit.formats import learner, notebooks

TO_LAB = re.compile(r"mybinder\.org/v2/gh/[\w/-]+\?urlpath=lab/tree/([^)\s\"]+)")
# What only the site's Markdown knows: directives, labels, links by the source's path.
OF_THE_SITE = re.compile(r"^[`:]{3,}\{|^:\w+:|^\([\w-]+\)=|\]\(/book/|\[\]\(", re.M)
LINK = re.compile(r"\]\((?!https?:)([^)\s]+)\)")
PAGE = "book/foundations/pytrees"

each_page = pytest.mark.parametrize("page", taught.with_cells())


def comparable(notebook):
    """Return a notebook as plain data, without the random names of its cells."""
    plain = json.loads(json.dumps(notebook))
    return plain | {"cells": [cell | {"id": ""} for cell in plain["cells"]]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with all notebooks."""
    made = tmp_path_factory.mktemp("notebooks")
    assert notebooks.bring_up_to_date(made) == []
    return made


@each_page
def test_a_page_is_read_as_the_build_reads_it(page):
    path = pages.path_of(page)
    assert comparable(pages.read_notebook(path)) == comparable(myst_nb_reader_plugin(str(path)))


@each_page
def test_a_notebook_has_every_cell_and_only_plain_markdown_and_no_key(page):
    source = pages.read_notebook(pages.path_of(page))
    wanted = [cell.source for cell in source.cells if cell.cell_type == "code"]
    notebook = notebooks.read(page)
    assert [cell.source for cell in notebook.cells if cell.cell_type == "code"] == wanted
    markdown = "\n".join(c.source for c in notebook.cells if c.cell_type == "markdown")
    assert not OF_THE_SITE.search(markdown)
    parts = [part for one in MarkdownIt().parse(markdown) for part in one.children or []]
    roles = [a.content for a, b in pairwise(parts) if b.type == "code_inline"]
    assert not [text for text in roles if re.search(r"\{[\w-]+\}$", text)], "a role of the site's"
    assert ":right:" not in nbformat.writes(notebooks.in_folder(page))


def test_links_between_notebooks_lead_to_them(folder):
    files = {str(file.relative_to(folder)) for file in folder.rglob("*.ipynb")}
    bare = {f"{taught.IN_ROOM}/{name}" for name in learner.all_bare()}
    assert files == {*map(taught.place, taught.with_cells()), *bare}
    for file in [*folder.rglob("*.ipynb"), *folder.rglob(notebooks.INDEX)]:
        text = file.read_text()
        cells = json.loads(text)["cells"] if file.suffix == ".ipynb" else [{"source": [text]}]
        shown = "\n".join("".join(c["source"]) for c in cells if c.get("cell_type") != "code")
        dead = [to for to in LINK.findall(shown) if not (file.parent / to).is_file()]
        assert not dead, f"{file.relative_to(folder)} leads nowhere: {dead}"
    listed = LINK.findall((folder / notebooks.INDEX).read_text())
    room = f"{taught.IN_ROOM}/{notebooks.INDEX}"
    assert listed == [room, *(taught.place(page) for page in taught.with_cells())]


def test_what_is_downloaded_leads_to_the_site_alone():
    text = nbformat.writes(notebooks.download("book/cases/leaf-order"))
    assert ".ipynb)" not in text and pages.published("book/cases/leaf-order-compile-cache") in text


def test_every_link_into_jupyterlab_leads_to_what_is_made(folder):
    texts = [file.read_text() for file in (pages.ROOT / "README.md", *pages.sources())]
    links = [link for text in texts for link in TO_LAB.findall(text)]
    assert len(links) >= 2
    links += [taught.in_lab(page).removeprefix("lab/tree/") for page in taught.with_cells()]
    said = (pages.BOOK / "workshop" / "set-up.md").read_text()
    for place in TO_LAB.findall(said):
        assert place.startswith(f"{taught.NOTEBOOKS}/{taught.IN_ROOM}/"), "it has the keys"
    for link in links:
        top, _, name = link.partition("/")
        assert top == folder.name.rstrip("0123456789") and (folder / name).is_file(), link
    opened = re.findall(r"default_url /lab/tree/(\S+)", (pages.ROOT / "Makefile").read_text())
    assert [(folder / name).is_file() for name in opened] == [True]


def edit(file, change):
    """Have a learner change a notebook and save it."""
    notebook = nbformat.read(file, as_version=4)
    change(notebook)
    nbformat.write(notebook, file)


def run_a_cell(notebook):
    """Let a cell have an output."""
    cell = next(cell for cell in notebook.cells if cell.cell_type == "code")
    cell.outputs = [nbformat.v4.new_output("stream", text="mine")]


def answer(notebook):
    """Write into a cell."""
    notebook.cells[-1].source += "\nmine"


def save(notebook):
    """Save a notebook that was only looked at, of which JupyterLab then notes more."""
    notebook.metadata["language_info"] = {"name": "python"}


@pytest.mark.parametrize("place", ["foundations/pytrees.ipynb", "workshop/pytrees.ipynb"])
@pytest.mark.parametrize("change", [answer, run_a_cell])
def test_a_notebook_that_a_learner_changed_stays(change, place, tmp_path, capsys):
    file = tmp_path / place
    notebooks.write(file, nbformat.writes(notebooks.all_of_folder()[place]))
    edit(file, change)
    kept = file.read_text()
    notebooks.main(str(tmp_path))
    assert file.read_text() == kept and "mine" in kept
    assert f"as you changed them: {place}" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["", "{", "[]", '{"cells": 3}', '{"metadata": {}, "cells": []}'])
def test_a_file_of_a_learners_own_stays(text, tmp_path):
    file = tmp_path / "a.ipynb"
    file.write_text(text)
    assert not notebooks.is_as_made(file)


def test_a_notebook_that_nobody_changed_follows_its_page(tmp_path):
    made = notebooks.in_folder(PAGE)
    made.cells[-1].source = "of an older page"
    made.metadata[notebooks.MADE] = {"made": notebooks.digest(made)}
    file = tmp_path / taught.place(PAGE)
    notebooks.write(file, nbformat.writes(made))
    edit(file, save)
    assert notebooks.bring_up_to_date(tmp_path) == []
    assert "of an older page" not in file.read_text()
    assert not list(Path(tmp_path).rglob(".*")), "what was being written is left"
