"""What turns the outputs of cells into text: no paths of a machine, a traceback in two parts."""

from __future__ import annotations

import re
from typing import Any

from myst_nb.core.render import strip_ansi

PATHS = [
    # A library's file by its place in site-packages, the standard library by its module.
    (re.compile(r"(?:~|/)[^\s:'\"]*/site-packages/"), ""),
    (re.compile(r"(?:~|/)[^\s:'\"]*/lib/python3\.\d+/"), "python/"),
    (re.compile(r"(?:~|/)[^\s:'\"]*/(?=trace_evidence/|stacks/)"), ""),
    (re.compile(r"(?:/[^\s:'\"]*)?/ipykernel_\d+/\d+\.py(?=[:\"])"), "<a cell>"),
]
JAX_ADVICE = re.compile(r"\n-{20,}\nFor simplicity, JAX has removed.*", re.S)
# JAX puts a whole traceback into some messages, which begins with the kernel that runs the cell.
KERNEL_FRAME = re.compile(
    r'^ *File "(?:<frozen runpy>|ipykernel|traitlets|tornado|python/asyncio|IPython).*\n', re.M
)


def without_paths(text: str) -> str:
    """Return a text without the folders of the machine that produced it."""
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
