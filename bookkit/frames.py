"""The words of figures that are read step by step, in the language that is spoken.

A page is executed once, in English. What its figures say is translated in the data that
`trace_evidence.steps` publishes: captions, choices, sentences, alt texts and labels of drawings.
"""

import html
import re
from collections.abc import Callable, Iterable
from typing import Any

from trace_evidence import steps

from .languages import say

LABEL = re.compile(r"(<text\b(?![^>]*monospace)[^>]*>)([^<]+)(?=</text>)")
PART = re.compile(r"(\d+) of (\d+)")
# What is English, and no code, number or address.
WORDS = re.compile(r"(?=.*[a-z]{3})(?:\d+\.? )?[A-Za-z][A-Za-z0-9 ,.:;'\u2019-]*")
SPACE = "\u00a0"  # between the words of a label


def changed(data: dict[str, Any], change: Callable[[str], str]) -> dict[str, Any]:
    """Return the data of a figure with each of its texts changed."""

    def values(some: list) -> list:
        return [change(value) if isinstance(value, str) else value for value in some]

    def label(match: re.Match) -> str:
        text = html.unescape(match[2]).replace(SPACE, " ")
        if not WORDS.fullmatch(text):
            return match[0]
        return match[1] + html.escape(change(text), quote=False).replace(" ", SPACE)

    choices = {change(name): values(of) for name, of in data["choices"].items()}
    frames = []
    for frame in data["frames"]:
        at, alt = values(frame["at"]), change(frame["alt"])
        drawn = LABEL.sub(label, frame["html"]).replace(
            html.escape(frame["alt"], quote=True), html.escape(alt, quote=True)
        )
        part = PART.sub(
            lambda match: say("{step} of {steps}", step=match[1], steps=match[2]), frame["part"]
        )
        frames.append(
            {
                "at": at, "where": where(choices, at), "part": part,
                "says": frame["says"] and change(frame["says"]), "alt": alt, "html": drawn,
            }
        )  # fmt: skip
    return {"caption": change(data["caption"]), "choices": choices, "frames": frames}


def where(choices: Iterable[str], at: list) -> str:
    """Return a choice in words, as `steps.in_words` does in English."""
    in_words = ""
    for name, choice in zip(choices, at, strict=True):
        if isinstance(choice, int):
            pair = say("{number} {name}", number=choice, name=name)
        else:
            pair = say("{name}: {choice}", name=name, choice=choice)
        in_words = say("{one}, {other}", one=in_words, other=pair) if in_words else pair
    return in_words


def as_html(data: dict[str, Any]) -> str:
    """Return a figure for a page, with the punctuation of the language that is spoken."""
    return steps.as_html(data, say("{part}.", part="{part}"))


def words(data: dict[str, Any]) -> list[str]:
    """Return the texts of a figure, each once."""
    texts: dict[str, str] = {}
    changed(data, lambda text: texts.setdefault(text, text))
    return list(texts)
