"""What turns the outputs of cells into text and drawings, on the site, slides and in notebooks."""

import html
import re
from pathlib import Path
from typing import Any

from trace_evidence.both import LIBRARIES
from trace_evidence.comparison import SILENT
from trace_evidence.figures import INK, PAPER
from trace_evidence.words import translatable

from . import pages, versions
from .languages import say

SILENT_WORDS = translatable("silent: wrong, without an error")
WASTEFUL_WORDS = translatable("silent: wasteful, without an error")
# What is said of a cell, or in a table.
MARKS = translatable(("then", "now", "silent", "loud"))
PATHS = [
    # A library's file by its place in site-packages, the standard library by its module.
    (re.compile(r"(?:~|/)[^\s:'\"]*/site-packages/"), ""),
    (re.compile(r"(?:~|/)[^\s:'\"]*/lib/python3\.\d+/"), "python/"),
    (re.compile(r"(?:~|(?<!\w)/)(?:[^\s:'\"]*/)?(?=trace_evidence/|evidence/)"), ""),
    (re.compile(r"(?:/[^\s:'\"]*)?/ipykernel_\d+/\d+\.py(?=[:\"])"), "<a cell>"),
]
# A sequence by which a terminal colours a text, or moves its cursor.
ANSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
HERE = str(pages.ROOT).replace(str(Path.home()), "~", 1)
JAX_ADVICE = re.compile(r"\n-{20,}\nFor simplicity, JAX has removed.*", re.S)
# What `%check` says of an answer.
FEEDBACK = re.compile(r"^(?:Not yet: |Correct, because ).+$", re.M)
# JAX puts a whole traceback into some messages, which begins with the kernel that runs the cell.
KERNEL_FRAME = re.compile(
    r'^ *File "(?:<frozen runpy>|ipykernel|traitlets|tornado|python/asyncio|IPython).*\n', re.M
)
# And into some tracebacks: all frames above the first one of a cell.
ABOVE_THE_CELL = re.compile(
    r"(?<=\(most recent call last\):\n)(?:\n  File [^\n]*\n(?:    [^\n]*\n)*)+(?=\n  Cell )"
)


def strip_ansi(text: str) -> str:
    """Return a text without what colours it in a terminal."""
    return ANSI.sub("", text)


def without_paths(text: str) -> str:
    """Return a text without the folders of the machine that produced it."""
    # The checkout's own folder by its name, which may hold any character.
    text = text.replace(str(pages.ROOT), "").replace(HERE, "")
    for pattern, short in PATHS:
        text = pattern.sub(short, text)
    return text


def split_traceback(lines: list[str], message: str) -> tuple[str, str]:
    """Split a formatted traceback into its frames and its last line, the message.

    Args:
        lines: the traceback as the kernel sent it, with colours.
        message: the exception's text, which may have several lines.

    Returns:
        The frames, and the message with the exception's name in front of it, without the kernel's
        own frames.
    """
    text = without_paths(strip_ansi("\n".join(lines))).strip()
    last = without_paths(strip_ansi(lines[-1]) if lines else message).strip()
    frames = re.sub(r"\n{2,}", "\n\n", text.removesuffix(last).rstrip())
    frames = ABOVE_THE_CELL.sub("", frames)
    return JAX_ADVICE.sub("", frames), KERNEL_FRAME.sub("", last)


def anywhere_without_paths(output: Any) -> Any:
    """Return an output, or a part of one, with no folder of the machine in any of its texts."""
    if isinstance(output, str):
        return without_paths(output)
    if isinstance(output, list):
        return [anywhere_without_paths(part) for part in output]
    if isinstance(output, dict):
        return type(output)({key: anywhere_without_paths(part) for key, part in output.items()})
    return output


def releases(page: str, versions_there: dict[str, str]) -> str:
    """Return how a mark ends: with JAX's version, and that of the library that decides here.

    Args:
        page: the page's file or name; its last part names the chapter or the case.
        versions_there: the version of each library of the stack, by its name.
    """
    other = "equinox" if "equinox" in versions.decided_by(Path(page).stem) else "numpyro"
    shown = [name for name in ("jax", other) if name in versions_there]
    return "".join(f" · {LIBRARIES[name]} {versions_there[name]}" for name in shown)


def declared(expect: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the marks of what a program is declared to do: each its kind and its words."""
    marks = []
    if "raises" in expect:
        marks.append(("raises", say("raises {name}", name=expect["raises"])))
    if "warns" in expect:
        marks.append(("warns", say("warns {name}", name=expect["warns"])))
    return marks + [("silent", say(SILENT_WORDS))] * bool(expect.get("silent"))


def themed_svg(svg: str, alt: str, prefix: str) -> str:
    """Return an SVG to stand in the page: the page's colours, alt text, ids that do not clash.

    Args:
        svg: the file as matplotlib wrote it.
        alt: what the figure shows.
        prefix: goes before each id that the drawing refers to.
    """
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.S)
    svg = re.sub(r'<g id="[^"]*"', "<g", svg)
    svg = re.sub(r'(id="|href="#|url\(#)', rf"\g<1>{prefix}", svg)
    svg = re.sub(re.escape(INK), "currentColor", svg, flags=re.I)
    svg = re.sub(re.escape(SILENT), f"var(--silent, {SILENT})", svg, flags=re.I)
    svg = re.sub(re.escape(PAPER), "var(--pst-color-background)", svg, flags=re.I)
    label = html.escape(" ".join(alt.split()), quote=True)
    return svg.replace("<svg", f'<svg role="img" aria-label="{label}" class="figure"', 1)
