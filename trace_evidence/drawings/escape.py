"""A tracer that outlives its trace: trace and list as lifetimes, and what goes between them."""

from collections.abc import Callable, Sequence
from typing import Any

import jax

from ..steps import ACCENT, BLUE, Steps
from .timeline import TOP, Timeline

TRACE, LIST = 0, 1
ENDS, STORED, USED = 54, 36, 80
"""When the trace ends, and when the tracer is stored and used."""
NOW = [20, 44, 62, 92]
"""When each frame is."""


def draw(kept: Sequence[Any], use: Callable[[Any], Any]) -> Steps:
    """Draw the life of the first thing in a list.

    Args:
        kept: a list in which a function left a tracer.
        use: computes with the tracer, whose trace is over, so that it raises.
    """
    try:
        use(kept[0])
    except jax.errors.UnexpectedTracerError as error:
        ends = type(error).__name__
    figure = Steps("A trace and a list, from left to right in time. Which of the two ends first?")
    for place, (says, alt) in enumerate(
        [
            ("The call opens a trace. The list is there already, and empty.",
             "The bar of the trace begins after that of the list. The list holds nothing."),
            ("`kept.append` stores a tracer of this trace in the list.",
             "An arrow leads from the open trace to the list, which now holds a tracer."),
            ("The function returns, and its trace is over. The list still holds the tracer.",
             "The bar of the trace has ended. That of the list goes on, with the tracer in it."),
            (f"`kept[0] + 1` takes the tracer from the list. Its trace is over: `{ends}`.",
             "An arrow leads from the list up to a place after the end of the trace."),
        ]
    ):  # fmt: skip
        over = place > 1
        drawing = Timeline(2, "lifetimes, from left to right")
        words = "the trace: over" if over else "the trace"
        drawing.bar(TRACE, 12, ENDS, words, color=BLUE, tinted=not over, dashed=over)
        drawing.bar(LIST, 0, 100, "the list")
        color = ACCENT if over else BLUE
        if place:
            drawing.moves(STORED, TRACE, LIST, BLUE)
            drawing.value(LIST, STORED - 4, "tracer", color=color, tinted=True)
        if place == len(NOW) - 1:
            drawing.moves(USED, LIST, TRACE, ACCENT)
            drawing.text(drawing.at(USED), TOP + 19, "kept[0] + 1", mono=True, middle=True)
        drawing.now(NOW[place])
        figure.add(says, f"{alt} {says}", drawing)
    return figure
