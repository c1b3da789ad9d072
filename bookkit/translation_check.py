"""Does a translation agree with its English text in all that is not language?

Code, links, formulas, numbers, placeholders and emphasis are the same in each language. What
Markdown makes of both texts is compared, so a mark of emphasis that does not close is missing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin

MONTHS = [
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
]
MONTH = re.compile(rf"\b({'|'.join(MONTHS)})(?= \d)")
PLACEHOLDER = re.compile(r"\{[a-z_]+(?::[^{}]*)?\}")
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
UNLINKED = re.compile(r"\](?=（)")  # noqa: RUF001 - a parenthesis that makes no link
Parts = dict[str, Counter[str]]


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").use(dollarmath_plugin)


def _tokens(text: str) -> Iterator[Token]:
    yield from _parser().parseInline(text)[0].children or []


def parts(text: str) -> Parts:
    """Return what a text has that is the same in each language, by kind."""
    found: Parts = {kind: Counter() for kind in KINDS}
    words = ""
    for token in _tokens(text):
        if token.type == "code_inline":
            found["code"][token.content] += 1
        elif token.type == "math_inline":
            found["formula"][token.content] += 1
        elif token.type == "link_open":
            found["link"][str(token.attrs["href"])] += 1
        elif token.type == "html_inline":
            found["tag"][token.content] += 1
        elif token.type in ("em_open", "strong_open"):
            found["emphasis"][token.markup] += 1
        elif token.type == "text":
            words += f"{token.content} "
    placeholders = PLACEHOLDER.findall(words)
    found["placeholder"].update(placeholders)
    words = MONTH.sub(lambda month: str(MONTHS.index(month[0]) + 1), PLACEHOLDER.sub(" ", words))
    found["number"].update(NUMBER.findall(words))
    found["stray mark"].update(re.findall(r"\*+|`+", words))
    return found


KINDS = ("code", "formula", "link", "tag", "emphasis", "placeholder", "number", "stray mark")


def disagreements(english: str, translated: str) -> list[str]:
    """Return what a translation has too little or too much, in words; nothing where it agrees."""
    ours, theirs = parts(english), parts(translated)
    found = []
    for kind in KINDS:
        for text in (ours[kind] - theirs[kind]).elements():
            found.append(f"{kind} {text!r} is missing")
        for text in (theirs[kind] - ours[kind]).elements():
            found.append(f"{kind} {text!r} is not in the English text")
    if UNLINKED.search(translated):
        found.append("a full-width parenthesis follows a link's text: it makes no link")
    return found
