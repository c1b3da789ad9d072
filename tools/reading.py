"""Count the words that a reader of a built page sees, and the minutes that they take.

    make run M="tools.reading book/failures/tracer-hashing"

In text a word stands between blanks; in code each name, number and sign counts, as a reader of code
takes them one by one. What is folded, drawn, or a
reply is not counted; what a question hides until it is answered is.
"""

import math
import sys
from pathlib import Path

from bs4 import BeautifulSoup

from bookkit import pages

A_MINUTE = 130  # words, of somebody who reads code as well
UNSEEN = (
    "script, style, svg, math, .headerlink, .visually-hidden, .predict-reply, .how-to, .expanded, "
    ".handed-out, .dropdown > :not(.admonition-title), .prev-next-footer, details > :not(summary)"
)


def words(file: Path) -> int:
    """Return how many words of a built page are seen as it opens."""
    article = BeautifulSoup(file.read_text(encoding="utf-8"), "html.parser").select_one("article")
    assert article, f"{file.name} has no article"
    for unseen in article.select(UNSEEN):
        unseen.decompose()
    return len(article.get_text(" ").split())


def minutes(file: Path) -> int:
    """Return how many minutes a built page takes, begun ones counted."""
    return math.ceil(words(file) / A_MINUTE)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        page = pages.BUILD / "html" / f"{name}.html"
        print(f"{words(page):5} words, {minutes(page):2} minutes: {name}")
