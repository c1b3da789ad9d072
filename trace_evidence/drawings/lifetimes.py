"""The traces of a sampler on the old stack, and the value that a prior keeps from one of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import jax
import numpyro
import numpyro.distributions as dist

from ..steps import ACCENT, BLUE, GREEN, INK, Panel, Steps

LAZY = "_log_diff_tail_probs"
CHAINS, SEARCH, MOVES = "the chains", "the search", "the moves"
NAMES = {(0, 1, 2): CHAINS, (1,): SEARCH, (2,): MOVES}
"""What a trace is called by the runs of the model in which it is open."""
LOOK = {CHAINS: (8, 324, INK), SEARCH: (22, 142, BLUE), MOVES: (176, 142, GREEN)}
"""Where a trace is drawn, how wide, and in which colour."""


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
    caption = "Three runs of a model on the old stack: the traces that are open, and what the prior"
    figure = Steps(f"{caption} keeps.", {"chains": ["two", "one"]})

    def frame(at: str, says: str, traces: Mapping[str, str], value: str, owner: str = "") -> None:
        lives, kept = Panel("traces"), Panel("in prior's __dict__")
        for name, state in traces.items():
            x, wide, color = LOOK[name]
            y = 32 if name == CHAINS else 66
            tinted = state == "open" and name != CHAINS
            high, over = 128 - 2 * (y - 32), state == "over"
            lives.box(x, y, wide, high, color=color, tinted=tinted, dashed=over)
            lives.text(x + 10, y + 22, f"{name}: {state}")
        if not traces:
            lives.text(8, 50, "no trace is open")
        lives.height = 168
        color = ACCENT if traces.get(owner) == "over" else LOOK.get(owner, (0, 0, INK))[2]
        kept.rows({LAZY: value}, {LAZY: color} if owner else {})
        if owner:
            kept.gap(6)
            kept.say(f"It belongs to {owner}: {traces[owner]}.")
        states = ", ".join(f"{name} {state}" for name, state in traces.items()) or "none"
        belongs = f" of {owner}" if owner else ""
        alt = f"Traces: {states}. The prior keeps {value}{belongs}. {says}"
        figure.add(says, alt, lives, kept, at=[at])

    for at, number in {"two": 2, "one": 1}.items():
        open_in, owner, ends = watch(sample, make_prior(), number)
        frame(at, "Set up: NumPyro lists the sites. That takes no density.", open_in[0], "nothing")
        where = "a compiled loop" if open_in[1] else "Python, without a loop"
        frame(at, f"NumPyro searches for a start, in {where}.", open_in[1], "nothing")
        value = "a tracer" if owner else "an array"
        says = f"The search needs a density, which reads the property: `prior` now keeps {value}."
        says += " To which trace does it belong?" if owner else ""
        frame(at, says, open_in[1], value, owner)
        if owner:
            over = {**open_in[1], owner: "over"}
            says = "The search ends, and its trace with it. `prior` outlives it, and keeps the "
            frame(at, f"{says}tracer. What will the moves read?", over, value, owner)
            says = f"The moves read a tracer whose trace is over: `{ends}`."
            frame(at, says, {**over, **open_in[2]}, value, owner)
        else:
            says = "An array belongs to no trace, so the moves can use it."
            frame(at, says, open_in[2], value)
    return figure
