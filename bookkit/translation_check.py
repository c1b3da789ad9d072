"""Does a translation agree with its English text in all that is not language?

Code, links, formulas, numbers, placeholders and emphasis are the same in each language. What
Markdown makes of both texts is compared, so a mark of emphasis that does not close is missing.
"""

import re
from calendar import month_name
from collections import Counter
from functools import cache

from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

MONTHS = [*month_name]
MONTH = re.compile(rf"\b({'|'.join(MONTHS[1:])})(?= \d)")
PLACEHOLDER = re.compile(r"\{[a-z_]+(?::[^{}]*)?\}")
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
UNLINKED = re.compile(r"\](?=（)")  # noqa: RUF001 - a parenthesis that makes no link
KEPT = {"code_inline": "code", "math_inline": "formula", "html_inline": "tag"}
"""The tokens whose content stays as it is, and what they are called."""


@cache
def parser() -> MarkdownIt:
    """Return what reads both texts."""
    return MarkdownIt("commonmark").use(dollarmath_plugin)


def parts(text: str) -> Counter[tuple[str, str]]:
    """Return what a text has that is the same in each language, each with its kind."""
    found: Counter[tuple[str, str]] = Counter()
    words = ""
    for token in parser().parseInline(text)[0].children or []:
        if token.type in KEPT:
            found[KEPT[token.type], token.content] += 1
        elif token.type == "link_open":
            found["link", str(token.attrs["href"])] += 1
        elif token.type in ("em_open", "strong_open"):
            found["emphasis", token.markup] += 1
        elif token.type == "text":
            words += f"{token.content} "
    found.update(("placeholder", one) for one in PLACEHOLDER.findall(words))
    words = MONTH.sub(lambda month: str(MONTHS.index(month[0])), PLACEHOLDER.sub(" ", words))
    found.update(("number", one) for one in NUMBER.findall(words))
    found.update(("stray mark", one) for one in re.findall(r"\*+|`+", words))
    return found


def disagreements(english: str, translated: str) -> list[str]:
    """Return what a translation has too little or too much, in words; nothing where it agrees."""
    ours, theirs = parts(english), parts(translated)
    found = [f"{kind} {text!r} is missing" for kind, text in (ours - theirs).elements()]
    more = (theirs - ours).elements()
    found += [f"{kind} {text!r} is not in the English text" for kind, text in more]
    if UNLINKED.search(translated):
        found.append("a full-width parenthesis follows a link's text: it makes no link")
    return found
