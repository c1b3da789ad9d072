"""Illustrations, the drawings that no cell makes: SVG files, which take the page's colours.

A file in ``book/_static/illustrations`` draws with `currentColor` and the colours of `steps.css`,
and says in its title what it shows.
"""

import html
import re
from pathlib import Path

from trace_evidence.figures import INK

from . import pages
from .languages import say

FOLDER = pages.BOOK / "_static" / "illustrations"
WORDS = re.compile(r"(<(?:title|text)\b[^>]*>)([^<]+)")
"""The words of a drawing: what it shows, and what stands in it."""


def files() -> list[Path]:
    """Return the files of all drawings."""
    return sorted(FOLDER.glob("*.svg"))


def words(file: Path) -> list[str]:
    """Return the words of a drawing in English, in their order."""
    return [html.unescape(" ".join(text.split())) for _, text in WORDS.findall(file.read_text())]


def read(file: Path) -> str:
    """Return a drawing with its words in the language that is spoken."""
    spoken = (html.escape(say(text), quote=False) for text in words(file))
    return WORDS.sub(lambda match: match[1] + next(spoken), file.read_text())


def inline(name: str, decorative: bool = False) -> str:
    """Return a drawing as HTML that stands in a page.

    Args:
        name: the file's name, without its ending.
        decorative: whether the words beside it say all that it shows.

    Raises:
        PageError: there is no such drawing, or it does not say what it shows.
    """
    file = FOLDER / f"{name}.svg"
    if not file.is_file():
        raise pages.PageError(
            f"there is no drawing {file.relative_to(pages.ROOT)}: name one there."
        )
    svg = " ".join(read(file).split())
    title = re.search(r"<title>(.+?)</title> ?", svg)
    if title is None:
        raise pages.PageError(f"{file.relative_to(pages.ROOT)}: say in a <title> what it shows.")
    label = html.escape(html.unescape(title[1]), quote=True)
    look = 'aria-hidden="true"' if decorative else f'role="img" aria-label="{label}"'
    svg = svg.replace(title[0], "").replace(' xmlns="http://www.w3.org/2000/svg"', "")
    return svg.replace("<svg", f'<svg {look} class="art"', 1)


def for_paper(name: str) -> dict[str, str]:
    """Return a drawing in fixed colours, as paper needs it, as `svg`, and its words as `alt`."""
    svg = read(FOLDER / f"{name}.svg")
    svg = re.sub(r"var\(--[\w-]+,\s*([^)]+)\)", r"\1", svg).replace("currentColor", INK)
    title = re.search(r"<title>(.+?)</title>", svg, re.S)
    return {"svg": svg, "alt": html.unescape(title[1]) if title else name}
