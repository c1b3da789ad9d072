"""Look at what a model keeps from one run to the next, and whether it changes an answer."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .. import running
from ..context import Context

NAME = "state"


def check(context: Context) -> None:
    """Trace the model as it was before it ran, then run it on other data after these.

    A tracer that is held after the trace fails at its next use. Where anything else is held, the
    answer to other data must be that of a model that has not seen these.
    """
    keeps_no_tracer(context)
    forgets_data(context)


def keeps_no_tracer(context: Context) -> None:
    """Find the places where a trace leaves a tracer behind."""
    held = context.held
    places, leaked = but_the_guides(held.tracers()), False
    _ = context.draw  # outside a trace first: a jitted part that is first met in one stays broken
    if places:
        says = f"{tidy(places[0])} holds a tracer; the next use fails"
        context.find(NAME, says, "", leaks(places[0]))
        return

    def trace(rng_key: Any) -> None:
        running.run(context.model, context.args, context.kwargs, rng_key, read=True)

    try:
        for _ in range(2):  # what is kept by the first only shows in the second
            traced = jax.make_jaxpr(lambda key: trace(key))(context.key(0))
            leaked = any(isinstance(value, jax.core.Tracer) for value in traced.consts)
    except jax.errors.UnexpectedTracerError:
        leaked = True
    except Exception:
        leaked = False  # it does not run in a trace; `jit` says so
    try:
        places = but_the_guides(held.tracers()) or but_the_guides(context.left)
        if places or leaked:
            place = tidy(places[0]) if places else "a place that is out of sight"
            says = f"a trace of the model leaves a tracer in {place}; the next use fails"
            context.find(NAME, says, "", leaks(places[0] if places else ""))
    finally:
        held.restore()


def but_the_guides(places: list[str]) -> list[str]:
    """Return some places without those in the guide, which has a check of its own."""
    return [place for place in places if not place.startswith("guide")]


def leaks(place: str) -> list[str]:
    """Return the pages on a tracer that stays behind in some place, or in one out of sight."""
    if not place:
        return ["lru-cache", "cached-property"]
    if place.endswith("rng_key"):
        return ["noise-layer", "seed-block-keeps-traced-key"]
    return ["parallel-truncated-normal", "cached-property", "lazy-tuple"]


def tidy(place: str) -> str:
    """Return a place in the model as a reader would write it."""
    return place.replace("model → ", "").replace("model.", "the model's ").strip(" →")


def forgets_data(context: Context) -> None:
    """Find a model whose answer to other data depends on the data that it saw before."""
    held, values, places = context.held, context.values, context.changed
    if not places:
        return
    try:
        running.run(context.model, context.args, context.kwargs, context.key(0), values)
        args, kwargs = other_data(context.args), other_data(context.kwargs)

        def answer() -> dict[str, tuple[Any, Any]]:
            found = running.run(context.model, args, kwargs, context.key(1), values)
            return running.densities(found, running.measurable(found))

        after = answer()
        held.restore()
        fresh = answer()
    except Exception:
        return  # other data do not fit this model
    finally:
        held.restore()
    for name, (got, size) in after.items():
        if name in fresh and running.differ(got, fresh[name][0], size):
            says = (
                f"its log density on other data is {running.show(got)} after these data, and "
                f"{running.show(fresh[name][0])} in a fresh model; {tidy(places[0])} was kept"
            )
            context.find(NAME, says, name, ["kept-in-model"])
            return


def other_data(tree: Any) -> Any:
    """Return arguments of the same shapes and other numbers: turned round, and half as large."""

    def change(leaf: Any) -> Any:
        if isinstance(leaf, (np.ndarray, jax.Array)) and leaf.ndim and leaf.size > 1:
            turned = leaf[::-1]
            floating = jnp.issubdtype(leaf.dtype, jnp.floating)
            return (turned * 0.5 + leaf * 0.25).astype(leaf.dtype) if floating else turned
        return leaf

    return jax.tree.map(change, tree)
