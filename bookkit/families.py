"""The families beyond the chapters, as the second door knows them.

What each shows as, and how people put it, stands in the front matter of `reference/families.md`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from . import pages, records
from .languages import said, say

PAGE = "book/reference/families"


@dataclass(frozen=True)
class Family:
    """One family.

    Attributes:
        id: a key of `records.FAMILIES`.
        title: what it is called.
        symptom: what its cases have in common to the eye, in a sentence.
        cure: what to try first, in a sentence.
        phrases: how people who do not know the cause put it.
    """

    id: str
    title: str
    symptom: str
    cure: str
    phrases: tuple[str, ...]

    @property
    def page(self) -> str:
        """The section about it, from the root of the repository."""
        return f"{PAGE}#family-{self.id}"


@cache
def load() -> dict[str, Family]:
    """Return the families by id, in the order of the page."""
    found = {}
    for name, row in pages.meta(PAGE)["families"].items():
        row = said(row, "symptom", "cure")
        row["phrases"] = tuple(map(say, row["phrases"]))
        found[name] = Family(id=name, title=say(records.FAMILIES[name]), **row)
    return found
