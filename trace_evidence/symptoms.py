"""The second door: from plain words about a wrong answer to what they may mean, or to *not known*.

Like the triage, it is data and a small algorithm, here and in `book/_static/symptoms.js`: naive
Bayes. It is counted beforehand in how many phrases of each entry, and of each topic that the book
has nothing about, a word's stem stands. So each of them has a probability, given a question. If all
entries together have less than `ENOUGH`, the book has no answer; one word alone decides nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Container
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
SMOOTHING = 0.1
"""In how many phrases a stem is said to stand that stands in none of an entry."""
FEW = 6
"""Of more words than these each tells less than it would alone, for they go together."""
ENOUGH, SURE, LEAST, MOST = 90, 60, 2, 3
"""In percent: from where on the book is said to have an answer, and the best one is no guess; what
an entry needs to be named. And how many are named.

`make run M=tools.score` shows what they do.
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


def stems(text: str) -> list[str]:
    """Return the stems of a text's words, each once, in their order; a number has none."""
    found = []
    for word in re.findall(r"[a-z0-9]+", text.lower()):
        if word[0] <= "9":
            continue
        for pattern, replacement in ENDINGS:
            word = re.sub(pattern, replacement, word)
        found.append(word)
    return list(dict.fromkeys(found + pairs(text)))


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
    """Return the names of the entries that words may mean, with their probabilities in percent.

    Args:
        words: what somebody typed.
        known: in how many phrases a stem stands, as `bookkit/publish.py` counts them.
        entries: what may be named; any other name is a topic that the book has nothing about.
    """
    rows = [known["counts"][stem] for stem in stems(words) if stem in known["counts"]]
    if len(rows) < 2:
        return []
    all_stems = SMOOTHING * len(known["counts"])
    logs = [len(rows) * math.log(SMOOTHING / (n + all_stems)) for n in known["totals"]]
    for row in rows:
        for value in row:
            more, place = divmod(value, len(logs))
            logs[place] += math.log(1 + (1 + more) / SMOOTHING)
    best, power = max(logs), min(1, FEW / len(rows))
    chances = [math.exp(power * (value - best)) for value in logs]
    total = sum(chances)
    named = zip(known["order"], chances)
    found = [(name, 100 * chance / total) for name, chance in named if name in entries]
    if sum(n for _, n in found) < ENOUGH:
        return []
    found.sort(key=lambda row: -row[1])
    return [(name, int(n + 0.5)) for name, n in found[:MOST] if n >= LEAST]


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
