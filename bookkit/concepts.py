"""The concepts of the workshop, and the test that asks for them before and after.

`book/workshop/concepts.toml` says what is taught, and lists what asks for it. A plan's `test` in
`plans.json` names eight concepts. Each has two items in `book/_test/items.md`, written as
predictions, so that the cell that answers is executed: `NAME-a` for form A, `NAME-b` for form B.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from . import pages, predictions, taught

FILE = "book/workshop/concepts.toml"
ITEMS = pages.UNPUBLISHED / "items.md"
ELSEWHERE = "elsewhere"  # the labels that no concept needs
FORMS = "ab"
VOTE = re.compile(r"\bvote\s+([\w-]+)\s+\(([A-D])\)")


@dataclass(frozen=True)
class Concept:
    """What is taught, and the labels of what asks for it."""

    says: str = ""  # the misconception
    aim: str = ""
    taught: str = ""  # a page, or `PAGE#SECTION`
    votes: tuple[str, ...] = ()
    predictions: tuple[str, ...] = ()
    exercises: tuple[str, ...] = ()


class Vote(NamedTuple):
    """A vote of a deck, as the note on its slide says it: ``vote LABEL (LETTER)``."""

    label: str
    right: str
    slide: str  # as Markdown


def by_name() -> dict[str, Concept]:
    """Return all concepts by their names."""
    return {name: Concept(**keys) for name, keys in pages.data(FILE).items()}


def votes(deck: Path) -> list[Vote]:
    """Return the votes of a deck, in its order."""
    slides = re.split(r"^---$\n?", deck.read_text(), flags=re.M)
    return [Vote(label, right, slide) for slide in slides for label, right in VOTE.findall(slide)]


def items() -> dict[str, predictions.Prediction]:
    """Return the items of all tests by their labels."""
    return {item.label: item for item in predictions.find(ITEMS.read_text())}


def test(plan: str) -> list[str]:
    """Return the concepts that a plan's test asks for; a plan of your own may have none."""
    return pages.data(taught.PLANS)[plan].get("test", [])


def program(item: predictions.Prediction) -> str:
    """Return the program of an item."""
    name = item.options.get("before", item.options["cell"])
    cells = (cell.node for cell in pages.code_cells(ITEMS))
    return next(cell.source for cell in cells if cell.metadata.get("name") == name)
