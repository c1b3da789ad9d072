"""The foundations as notebooks for Google Colab: `make run M=bookkit.formats.colab`.

Colab brings releases of its own, so each notebook begins with a cell that installs those of the
book. The workflow `book` puts what is made here on the branch `notebooks`, which Colab reads.
"""

import re
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from bookkit import pages
from bookkit.formats import notebooks
from bookkit.taught import BRANCH, foundations, taught

FOLDER = pages.BUILD / BRANCH
# What the foundations import. IPython and its kernel are Colab's own, and stay.
PINNED = ("jax", "numpyro", "equinox", "scipy")
SIBLING = re.compile(r"\]\(([\w-]+)\.ipynb\)")
FIRST = """\
*In Colab.* Run the first cell: it installs the releases of the book, in about a minute. Where Colab
then offers to restart the session, accept, and go on with the next cell."""


def package() -> str:
    """Return what pip is asked for to get the reader's package."""
    repository = pages.config()["repository"]
    return f"trace-evidence @ git+{repository['url']}@{repository['branch']}"


def pins() -> list[str]:
    """Return the releases of the lock, of what the foundations import."""
    lock = (pages.ROOT / "requirements.txt").read_text()
    locked = dict(re.findall(r"^([\w-]+)==([^\s;\\]+)", lock, re.M))
    return [f"{name}=={locked[name]}" for name in PINNED]


def notebook(page: str) -> NotebookNode:
    """Return a page's notebook: a cell that installs, then the page, without outputs."""
    made = notebooks.student(page)
    places = {Path(other).name: pages.published(other) for other in taught()}
    for cell in made.cells:
        if cell.cell_type == "markdown":
            cell.source = SIBLING.sub(lambda found: f"]({places[found[1]]})", cell.source)
    install = f'%pip install -q {" ".join(pins())} matplotlib "{package()}"'
    made.cells[1] = new_markdown_cell(FIRST, id="how-to")
    made.cells.insert(2, new_code_cell(install, id="install"))
    return made


def main() -> None:
    """Write the notebooks."""
    for page in foundations():
        notebooks.write(FOLDER / f"{Path(page).name}.ipynb", nbformat.writes(notebook(page)))
    print(f"{len(foundations())} notebooks for Colab are in {FOLDER.relative_to(pages.ROOT)}.")


if __name__ == "__main__":
    main()
