"""The second door: from plain words about a wrong answer to what they may mean, or to *not known*.

Like the triage, it is data and a small algorithm, here and in `book/_static/symptoms.js`. The words
of each entry, and of each topic that the book has nothing about, are reduced to stems with points,
beforehand. A question gives each of them the sum of the points of its stems, times the share of the
question that these are. Half of what the best topic gets speaks against every entry. With fewer
points than `ENOUGH`, or by one word alone, an entry is not named.
"""

from __future__ import annotations

import math
import re
from collections.abc import Container, Iterable
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
ENOUGH, SURE, MOST = 35, 100, 3
"""The points from which on an entry is named, and the best one is no guess; how many are named.

`make run M=tools.score` decided: it leaves out each fifth of `book/doubts.toml` in turn, and asks
for its phrases.
"""
UNSURE = "Not known for sure. Perhaps it is near one of these:"
ADVICE = (
    "Not known here. To find out more:",
    "Let a second way compute it: `trace-evidence examine` does so for a NumPyro model.",
    "Run it without `jit` (`JAX_DISABLE_JIT=1`), and in float64 (`JAX_ENABLE_X64=1`).",
    "Make it smaller, until you know the answer by hand.",
    "Then ask: https://github.com/jax-ml/jax/discussions, or https://forum.pyro.ai for NumPyro.",
)


class Match(NamedTuple):
    """One entry that fits a question: a case, a chapter, a family or an everyday error."""

    id: str
    title: str
    score: int
    symptom: str
    cure: str
    versions: str
    page: str


def stems(text: str, same: dict[str, str], dull: Iterable[str]) -> list[str]:
    """Return the stems of a text's words, each once, in their order; a number has none.

    Args:
        text: what somebody typed, or a part of a record.
        same: stems that mean another's.
        dull: words that say nothing.
    """
    found = []
    for word in dict.fromkeys(re.findall(r"[a-z0-9]+", text.lower())):
        if word in dull or word[0] <= "9":
            continue
        for pattern, replacement in ENDINGS:
            word = re.sub(pattern, replacement, word)
        found.append(same.get(word, word))
    found += [pair for pair in pairs(text) if pair not in dull]
    return list(dict.fromkeys(found))


def pairs(text: str) -> list[str]:
    """Return the Chinese characters of a text, each with the one that follows.

    Chinese has no spaces between words; pairs find a phrase without a dictionary.
    """
    parts = re.findall(r"[\u3400-\u9fff]{2,}", text)
    return [part[i : i + 2] for part in parts for i in range(len(part) - 1)]


def search(words: str) -> list[Match]:
    """Return what plain words may mean, the likeliest first, at most `MOST`; often nothing."""
    known, entries = data()["symptoms"], data()["explain"]
    return [
        Match(
            name, entries[name]["title"], score, entries[name]["symptom"],
            entries[name]["cure"], entries[name]["versions"], address(entries[name]["page"]),
        )
        for name, score in rank(words, known, entries)
    ]  # fmt: skip


def rank(words: str, known: dict[str, Any], entries: Container[str]) -> list[tuple[str, int]]:
    """Return the names of the entries that words may mean, with their scores.

    Args:
        words: what somebody typed.
        known: the points, as `bookkit/publish.py` makes them.
        entries: what may be named; any other name is a topic that the book has nothing about.
    """
    asked = stems(words, known["same"], known["dull"])
    rows = {stem: known["points"].get(stem, ()) for stem in asked}
    # The fewer entries have a stem, the more it weighs; a stem that none has weighs most.
    weights = {
        stem: int(10 * math.log((1 + len(known["order"])) / max(1, len(row))) + 0.5)
        for stem, row in rows.items()
    }
    total = sum(weights.values())
    found: dict[int, list[tuple[int, int]]] = {}
    for stem in asked:
        for place, points in rows[stem]:
            found.setdefault(place, []).append((points, weights[stem]))
    scores, elsewhere = {}, 0
    for place, hits in found.items():
        points, weight = map(sum, zip(*hits))
        score = points * weight // total if len(hits) > 1 else 0
        if known["order"][place] in entries:
            scores[place] = score
        else:
            elsewhere = max(elsewhere, score)
    scores = {place: score - elsewhere // 2 for place, score in scores.items()}
    best = sorted(scores, key=lambda place: (-scores[place], place))[:MOST]
    return [(known["order"][place], scores[place]) for place in best if scores[place] >= ENOUGH]


def table() -> list[tuple[str, list[str]]]:
    """Return the symptoms in plain words, each with the slugs of its cases."""
    return [(words, slugs) for words, slugs in data()["symptoms"]["table"]]


def describe(found: list[Match]) -> str:
    """Return an answer in words, for a terminal; what to try where nothing is known."""
    if not found:
        return "\n  ".join(ADVICE)
    blocks = []
    for place, row in enumerate(found, start=1):
        title = f"{place}. {row.title} ({row.id})"
        rows = {"see": row.symptom, "cure": row.cure, "in": row.versions, "page": row.page}
        blocks.append(
            "\n".join([title, *(f"   {key:<6}{text}" for key, text in rows.items() if text)])
        )
    if found[0].score < SURE:
        blocks = [UNSURE, *blocks, "\n  ".join(("If it is none of them:", *ADVICE[1:]))]
    return "\n\n".join(blocks)


def show(line: str) -> None:
    """Name what the words of a line may mean: the line magic ``%symptoms``."""
    print(describe(search(line)))
