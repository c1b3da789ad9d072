"""Decks as they are written: their slides, and the programs that they show.

`bookkit/formats/slides.py` says what stands in a deck.
"""

import re
from pathlib import Path

from . import pages

BLOCK = re.compile(r"\{(show|code|outcome|notes|drawing)\} *(\S*) *(then|now|)")
# How the notes say, with the minutes of a slide, that its program is typed.
TYPED = re.compile(r"^\*[^*]*\btyping\b", re.M)


def deck(page: str) -> Path:
    """Return the file of a page's deck, which not every page has."""
    return pages.BOOK / "_slides" / f"{Path(page).name}.md"


def slides(page: str) -> list[str]:
    """Return the slides of a page's deck as Markdown; without a deck there are none."""
    if not deck(page).exists():
        return []
    return re.split(r"^---$\n?", deck(page).read_text(), flags=re.M)


def blocks(slide: str) -> list[tuple[str, str, str]]:
    """Return the blocks of a slide: their kind, the cell, and perhaps one side of it."""
    return re.findall(f"^```{BLOCK.pattern}$", slide, re.M)


def programs(page: str) -> dict[str, tuple[int, str]]:
    """Return the cells whose code a deck shows: the first slide, and what the room does there.

    That is to `vote`, where the slide asks before the outcome is shown, to `type` with whoever
    teaches, or to look at what it can `show`.
    """
    found: dict[str, tuple[int, str]] = {}
    for number, slide in enumerate(slides(page), start=1):
        shown = "type" if TYPED.search(slide) else "show"
        for kind, name, _ in blocks(slide):
            if kind in ("code", "show"):
                found.setdefault(name, (number, "vote" if kind == "code" else shown))
    return found
