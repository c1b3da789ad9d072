"""The second door: from plain words about a wrong answer to the cases that they may mean.

Like the triage, it is data and a small algorithm, here and in `book/_static/symptoms.js`. The words
of each case's record are reduced to stems with points, beforehand. A question gets, for each case,
the sum of the points of its stems; the case with the most comes first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from .triage import address, data

# Applied in this order to a word of small letters: what to look for, and what replaces it.
ENDINGS = (
    (r"^(.{2,})ies$", r"\1y"),
    (r"^(.{3,}[^suia])s$", r"\1"),
    (r"^(.{3,})(ing|ed|ly)$", r"\1"),
    (r"^(.*)([bdgmnprt])\2$", r"\1\2"),
    (r"^(.{3,})e$", r"\1"),
)
MOST = 5


class Match(NamedTuple):
    """One case that fits a question; `score` is the sum of its words' points."""

    id: str
    title: str
    score: int
    symptom: str
    cure: str
    page: str


def stems(text: str, same: dict[str, str], dull: Iterable[str]) -> list[str]:
    """Return the stems of a text's words, each once, in their order.

    Args:
        text: what somebody typed, or a part of a record.
        same: stems that mean another's.
        dull: words that say nothing.
    """
    found = []
    for word in re.findall(r"[a-z0-9]+", text.lower()):
        if word in dull:
            continue
        for pattern, replacement in ENDINGS:
            word = re.sub(pattern, replacement, word)
        found.append(same.get(word, word))
    return list(dict.fromkeys(found))


def search(words: str) -> list[Match]:
    """Return the cases that plain words may mean, the likeliest first, at most `MOST`."""
    known: dict[str, Any] = data()["symptoms"]
    scores: dict[str, int] = {}
    for stem in stems(words, known["same"], known["dull"]):
        for slug, points in known["points"].get(stem, {}).items():
            scores[slug] = scores.get(slug, 0) + points
    ranked = sorted(scores, key=lambda slug: (-scores[slug], known["order"].index(slug)))
    explain = data()["explain"]
    return [
        Match(
            slug, explain[slug]["title"], scores[slug], explain[slug]["symptom"],
            explain[slug]["cure"], address(explain[slug]["page"]),
        )
        for slug in ranked[:MOST]
    ]  # fmt: skip


def table() -> list[tuple[str, list[str]]]:
    """Return the symptoms in plain words, each with the slugs of its cases."""
    return [(words, slugs) for words, slugs in data()["symptoms"]["table"]]
