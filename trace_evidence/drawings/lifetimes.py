"""The traces of a sampler on the old stack, and the value that a prior keeps from one of them."""

from collections.abc import Callable, Mapping
from typing import Any

import jax
import numpyro
import numpyro.distributions as dist

from ..steps import ACCENT, BLUE, GREEN, INK, Steps
from .timeline import TOP, Timeline

LAZY, NOTHING = "_log_diff_tail_probs", "nothing"
CHAINS, SEARCH, MOVES = "the chains", "the search", "the moves"
NAMES = {(0, 1, 2): CHAINS, (1,): SEARCH, (2,): MOVES}
"""What a trace is called by the runs of the model in which it is open."""
LOOK = {CHAINS: (0, 2, 100, INK), SEARCH: (1, 14, 54, BLUE), MOVES: (1, 60, 97, GREEN)}
"""Where a trace is drawn: its row, when it begins and ends, and its colour."""
PRIOR, READ, READ_AGAIN = 2, 40, 84
"""The row of the prior, and when the property is read."""
NOW = [8, 24, 48, 57, 91]
"""When each frame is."""


def watch(sample: Callable, prior: Any, num_chains: int) -> tuple[list[dict], str, str]:
    """Return the open traces in three runs of a model, the kept value's trace, and how it ends.

    Args:
        sample: runs a sampler on a model, with a number of chains.
        prior: a truncated normal that was not read before.
        num_chains: how many chains there are.
    """
    from jax._src.core import thread_local_state  # type: ignore[attr-defined]  # the old stack's

    runs = []

    def model(readings: Any) -> None:
        stack = thread_local_state.trace_state.trace_stack.stack
        # Traces of equal level compare equal: tell them apart by identity.
        alive = {id(main) for main in stack if main.trace_type.__name__ == "DynamicJaxprTrace"}
        runs.append((alive, vars(prior).get(LAZY)))
        level = numpyro.sample("level", prior)
        numpyro.sample("readings", dist.Normal(level, 1.0), obs=readings)

    ends = "works"
    try:
        sample(model, num_chains)
    except jax.errors.UnexpectedTracerError as error:
        ends = type(error).__name__
    live, kept = zip(*runs[:3], strict=True)
    names = {
        trace: NAMES[tuple(run for run in range(3) if trace in live[run])]
        for trace in set().union(*live)
    }
    traced = isinstance(kept[2], jax.core.Tracer)
    owner = names[id(kept[2]._trace.main)] if traced else ""
    return [{names[trace]: "open" for trace in traces} for traces in live], owner, ends


def draw(sample: Callable, make_prior: Callable) -> Steps:
    """Draw three runs of a model with two chains and with one.

    Args:
        sample: as `watch` takes it.
        make_prior: makes a prior that was not read before.
    """
    caption = "Three runs of a model on the old stack, from left to right: the traces that are "
    figure = Steps(f"{caption}open, and what the prior keeps.", {"chains": ["two", "one"]})

    def frame(now: int, at: str, says: str, traces: Mapping, value: str, owner: str = "") -> None:
        drawing = Timeline(3, "lifetimes, from left to right")
        for name, state in traces.items():
            row, begin, end, color = LOOK[name]
            look = {"tinted": state == "open" and row, "dashed": state == "over"}
            words = name if state == "open" else f"{name}: over"
            drawing.bar(row, begin, end, words, color=color, **look)
        if not traces:
            drawing.text(drawing.at(2), TOP + 19, "no trace is open")
        drawing.bar(PRIOR, 0, 100, "prior")
        over = traces.get(owner) == "over"
        color = ACCENT if over else LOOK[owner][3] if owner else INK
        if value != NOTHING:
            drawing.moves(READ, 1, PRIOR, LOOK[owner][3] if owner else INK)
            drawing.value(PRIOR, READ - 4, value, color=color, tinted=bool(owner))
        if traces.get(MOVES):
            drawing.moves(READ_AGAIN, PRIOR, 1, color)
        drawing.now(NOW[now])
        states = ", ".join(f"{name} {state}" for name, state in traces.items()) or "none"
        kept = f"{value}{f' of {owner}' if owner else ''}"
        figure.add(says, f"Traces: {states}. The prior keeps {kept}. {says}", drawing, at=[at])

    for at, number in {"two": 2, "one": 1}.items():
        open_in, owner, ends = watch(sample, make_prior(), number)
        says = "Set up: NumPyro lists the sites. That takes no density."
        frame(0, at, says, open_in[0], NOTHING)
        where = "a compiled loop" if open_in[1] else "Python, without a loop"
        frame(1, at, f"NumPyro searches for a start, in {where}.", open_in[1], NOTHING)
        value = "tracer" if owner else "array"
        says = (
            "The search needs a density, which reads the property `_log_diff_tail_probs`: `prior` "
        )
        says += f"now keeps {'a tracer' if owner else 'an array'}."
        says += " To which trace does it belong?" if owner else ""
        frame(2, at, says, open_in[1], value, owner)
        if owner:
            over = {**open_in[1], owner: "over"}
            says = "The search ends, and its trace with it. `prior` outlives it, and keeps the "
            frame(3, at, f"{says}tracer. What will the moves read?", over, value, owner)
            says = f"The moves read a tracer whose trace is over: `{ends}`."
            frame(4, at, says, {**over, **open_in[2]}, value, owner)
        else:
            says = "An array belongs to no trace, so the moves can use it."
            frame(4, at, says, open_in[2], value)
    return figure
