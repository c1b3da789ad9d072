"""The book's drawings on paper, where there are no style sheets to give them their colours."""

from __future__ import annotations

import html
import re

from bookkit import art
from trace_evidence.figures import INK


def for_paper(name: str) -> dict[str, str]:
    """Return a drawing of `book/_static/art` in fixed colours as `svg`, its words as `alt`."""
    svg = (art.FOLDER / f"{name}.svg").read_text()
    svg = re.sub(r"var\(--[\w-]+,\s*([^)]+)\)", r"\1", svg).replace("currentColor", INK)
    title = re.search(r"<title>(.+?)</title>", svg, re.S)
    return {"svg": svg, "alt": html.unescape(title[1]) if title else name}
