"""What is taught: the pages of the workshop, its plans, and where Jupyter and Colab open a page."""

import re
from importlib.util import find_spec
from pathlib import Path

from . import casebook, decks, pages
from .languages import cached, say

PLANS = "book/workshop/plans.json"  # by name: when each begins, and its rows
MINUTES = "teaching {teaching} min, exercises {exercises} min"
NOTEBOOKS = "notebooks"  # the folder that has the notebook of each page with cells
IN_ROOM = "workshop"  # the folder of what is handed out: below `_build`, `NOTEBOOKS` and the site
BRANCH = "notebooks"
LINK = re.compile(r"\]\(/(book/[\w/-]+)\.md")
COLAB = "https://colab.research.google.com/github"


@cached
def taught() -> tuple[str, ...]:
    """Return the pages of the workshop: the chapters, what they need, what a plan names."""
    rows = [row for plan in pages.data(PLANS).values() for row in plan["rows"]]
    named = {page for row in rows if isinstance(row, list) for page in LINK.findall(row[1])}
    heads = [pages.meta(page)["chapter"] for page in failures()]
    named |= {f"book/{need['page']}" for head in heads for need in head["prerequisites"]}
    return tuple(page for page in with_cells() if page in {*named, *failures()})


@cached
def failures() -> tuple[str, ...]:
    """Return the failure chapters, in the order of the book."""
    return tuple(page for page in with_cells() if "chapter" in pages.meta(page))


def foundations() -> list[str]:
    """Return the pages that have a notebook for Colab."""
    return [page for page in with_cells() if page.startswith("book/foundations/")]


@cached
def with_cells() -> tuple[str, ...]:
    """Return the pages that have a notebook, in the order of the book."""
    items = pages.contents()
    return tuple(item.page for item in items if pages.has_kernel(pages.path_of(item.page)))


def place(page: str) -> str:
    """Return where the notebook of a page stands in `NOTEBOOKS`."""
    return f"{page.removeprefix('book/')}.ipynb"


def in_lab(page: str) -> str:
    """Return where JupyterLab, in the checkout, opens the notebook of a page: a part of its URL."""
    return f"lab/tree/{NOTEBOOKS}/{place(page)}"


def repository() -> str:
    """Return the repository's owner and name on GitHub."""
    return pages.config()["repository"]["url"].removeprefix("https://github.com/")


def binder_address(page: str) -> str:
    """Return where Binder opens the notebook of a page."""
    config = pages.config()
    binder, branch = config["launch_buttons"]["binderhub_url"], config["repository"]["branch"]
    return f"{binder}/v2/gh/{repository()}/{branch}?urlpath={in_lab(page)}"


def colab_address(page: str) -> str:
    """Return where Colab opens a page."""
    return f"{COLAB}/{repository()}/blob/{BRANCH}/{Path(page).name}.ipynb"


def handed_out(page: str) -> dict[str, str]:
    """Return what is made of a page for a workshop, as files of the site below `IN_ROOM`.

    What needs the page executed is not there before; without Typst, as where the book is built
    from its own requirements alone, there is nothing.
    """
    if page not in taught() or not find_spec("typst"):
        return {}
    from . import execute  # what it needs is not in Binder, which makes notebooks alone

    name = Path(page).name
    files = {"learner": f"learner/{name}.ipynb"}
    is_executed = execute.executed(pages.path_of(page)) is not None
    if is_executed:
        files["instructor"] = f"instructor/{name}.ipynb"
    if is_executed and decks.deck(page).exists():
        files["slides"] = f"slides/{name}.html"
    if page in failures():
        files["handout"] = f"handouts/{name}.pdf"
    return files


def schedule(name: str) -> list[tuple[int, str]]:
    """Return a plan's rows, minutes and Markdown; its chapters' minutes are of their front cards.

    Args:
        name: a key of `PLANS`, where a row is a pair of minutes and words, or a chapter's id: its
            deck, or with `#exercises` after it what is done then.
    """
    rows: list[tuple[int, str]] = []
    for item in pages.data(PLANS)[name]["rows"]:
        if isinstance(item, str):
            chapter, _, exercises = item.partition("#")
            page = f"book/failures/{chapter}"
            minutes, name = pages.meta(page)["chapter"]["minutes"], say(pages.title(page))
            if exercises:
                done = say("[{title}](/{page}.md#exercises): exercises", title=name, page=page)
                rows.append((minutes["exercises"], done))
            else:
                taught = say("[{title}](/{page}.md): teaching", title=name, page=page)
                rows.append((minutes["teaching"], taught))
        else:
            rows.append((item[0], say(item[1])))
    return rows


def schedule_table(name: str) -> str:
    """Return a plan as a Markdown table, with the times of day."""
    hours, _, minutes = pages.data(PLANS)[name]["begins"].partition(":")
    clock = int(hours) * 60 + int(minutes)
    head, rows = say("| From | Minutes | What |"), []
    for took, what in [*schedule(name), (0, say("End"))]:
        rows.append((f"{clock // 60}:{clock % 60:02}", str(took or ""), what))
        clock += took
    return casebook.as_table(head, rows)


if __name__ == "__main__":
    print(*map(pages.path_of, taught()))
