"""Decks as they are written: their slides, and the programs that they show.

`bookkit/formats/slides.py` says what stands in a deck.
"""

import ast
import re
from pathlib import Path
from typing import NamedTuple

from . import pages

BLOCK = re.compile(r"\{(show|code|given|outcome|notes|drawing)\} *(\S*) *(then|now|)")
# How the notes say, with the minutes of a slide, what becomes of its program.
HANDLED = re.compile(r"^\*[^*]*\b(typ|copy)ing\b", re.M)
VOTED = re.compile(r"^\*[^*]*\bvote\b", re.M)


class Program(NamedTuple):
    """What a slide shows of a cell.

    Attributes:
        slide: its number.
        place: which program of the slide it is, of how many.
        name: the cell's.
        words: the first words of the statements that are shown, or none where all are.
        kind: what the room does: `type` it with whoever teaches, `copy` it, or `run` what is there.
        voted: whether a vote comes first.
    """

    slide: int
    place: tuple[int, int]
    name: str
    words: tuple[str, ...]
    kind: str
    voted: bool


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


def statements(source: str) -> list[tuple[str, str]]:
    """Return the statements of a program: the row by which each is named, and all its rows.

    A comment belongs to the statement below it.
    """
    lines, pairs, end = source.splitlines(), [], 0
    for node in ast.parse(re.sub(r"^%.*", "", source, flags=re.M)).body:
        above = [line for line in lines[end : node.lineno - 1] if not line.startswith("%")]
        end = node.end_lineno or node.lineno
        pairs.append((lines[node.lineno - 1], "\n".join([*above, *lines[node.lineno - 1 : end]])))
    return pairs


def programs(page: str) -> list[Program]:
    """Return the programs that a deck shows, in its order.

    Of a cell that two slides show in part each has its own.
    """
    listed = []
    for number, slide in enumerate(slides(page), start=1):
        handled, voted = HANDLED.search(slide), bool(VOTED.search(slide))
        asked = {"typ": "type", "copy": "copy"}[handled[1]] if handled else ""
        blocks = re.findall(f"^```{BLOCK.pattern}\n(.*?)^```$", slide, re.M | re.S)
        shown = [block for block in blocks if block[0] in ("show", "code", "given")]
        for place, (kind, name, _, words) in enumerate(shown, start=1):
            done = {"given": "run", "show": asked or "run", "code": asked or "copy"}[kind]
            where = place, len(shown)
            is_open = voted and done != "run"
            listed.append(Program(number, where, name, tuple(words.splitlines()), done, is_open))
    return listed
