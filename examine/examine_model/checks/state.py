"""Look at what a model keeps from one run to the next, and whether it changes an answer."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpyro import distributions as dist
from numpyro import handlers
from numpyro.distributions.util import lazy_property

from .. import comparing, running
from ..context import CannotRun, Context
from ..held import Held


def check(context: Context) -> None:
    """Trace the model as it was before it ran, then run it on other data after these.

    A tracer that is held after the trace fails at its next use. Where anything else is held, the
    answer to other data must be that of a model that has not seen these.
    """
    keeps_no_tracer(context)
    kept_tracer = any(finding.check == context.check for finding in context.findings)
    if not context.changed or (not kept_tracer and forgets_values(context)):
        return
    forgets_data(context)


def keeps_no_tracer(context: Context) -> None:
    """Find the places where a trace leaves a tracer behind."""
    held = context.held
    places = but_the_guides(held.tracers())
    _ = context.draw  # outside a trace first: a jitted part that is first met in one stays broken
    if places:
        says = f"{tidy(next(iter(places)))} holds a tracer; the next use fails"
        context.find("tracer-kept", says, "", leaks(held, places))
        return

    def trace(rng_key: Any) -> None:
        running.run(context.model, context.args, context.kwargs, rng_key, read=True)

    leaked = leaves_a_tracer(lambda: jax.make_jaxpr(lambda key: trace(key))(context.key(0)))
    try:
        places = but_the_guides(held.tracers()) or but_the_guides(context.left)
        if places or leaked:
            place = tidy(next(iter(places), "a place that is out of sight"))
            says = f"a trace of the model leaves a tracer in {place}; the next use fails"
            context.find("tracer-kept", says, "", leaks(held, places))
    finally:
        held.restore()


def leaves_a_tracer(traced: Callable[[], Any]) -> bool:
    """Tell whether a trace fails, or holds a tracer of another, since one was made before it."""
    try:
        for _ in range(2):  # what is kept by the first only shows in the second
            leaked = any(isinstance(value, jax.core.Tracer) for value in traced().consts)
    except jax.errors.UnexpectedTracerError:
        return True
    except Exception:
        return False  # it does not run in a trace; `jit` says so
    return leaked


def but_the_guides(places: dict[str, bool]) -> dict[str, bool]:
    """Return some places without those in the guide, which has a check of its own."""
    return {place: key for place, key in places.items() if not place.startswith("guide")}


def leaks(held: Held, places: dict[str, bool]) -> list[str]:
    """Return the pages on what keeps tracers in some places; none where it is a list, or by hand.

    Args:
        held: what is looked at, as it is after the trace.
        places: where tracers are, and whether each is a random key; none if they are out of sight.
    """
    if not places:
        return ["lru-cache"] if held.caches() else []
    return list(dict.fromkeys(case for place in places.items() if (case := leak(held, *place))))


def leak(held: Held, place: str, is_key: bool) -> str:
    """Return the page on what keeps a tracer in one place, or ""."""
    owner, name, rest = held.keeper(place)
    made_by = inspect.getattr_static(type(owner), name, None)
    if isinstance(made_by, functools.cached_property):
        return "cached-property"
    if isinstance(made_by, lazy_property) and rest:
        return "lazy-tuple"
    if isinstance(owner, dist.Distribution):
        return "parallel-truncated-normal"
    if isinstance(owner, handlers.seed):
        return "seed-block-keeps-traced-key"
    return "noise-layer" if is_key and owner is not None else ""


def tidy(place: str) -> str:
    """Return a place in the model as a reader would write it."""
    return place.replace("model → ", "").replace("model.", "the model's ").strip(" →")


def forgets_data(context: Context) -> None:
    """Find a model whose answer to other data depends on the data that it saw before.

    Raises:
        CannotRun: it keeps something, and takes no other data that can be made of these.
    """
    given = (context.args, context.kwargs)
    if not context.changed or not jax.tree.leaves(given):
        return
    values = context.values

    def answer(args: tuple, kwargs: dict) -> dict[str, Any]:
        run = running.run(context.model, args, kwargs, context.key(1), values)
        return comparing.densities(run, comparing.measurable(run))

    taken, cases = False, ["kept-in-model"] if same_again(context, answer) else []
    for after, fresh in after_and_fresh(context.held, lambda data: answer(*data), given):
        taken = True
        if differing(context, after, fresh, cases):
            return
    if not taken:
        raise CannotRun(
            f"{tidy(context.changed[0])} is kept between runs, and the model takes no other data "
            "made of these"
        )


def forgets_values(context: Context) -> bool:
    """Find a model whose density at other values depends on those that it saw before."""
    given, held = (context.args, context.kwargs), context.held

    def answer(values: dict) -> dict[str, Any]:
        run = running.run(context.model, *given, context.key(1), values)
        return comparing.densities(run, comparing.measurable(run))

    if not context.values or not same_again(context, lambda *_: answer(context.values)):
        return False
    try:
        other = context.run(context.key(9)).handed()
        with held.restoring():
            fresh = answer(other)
        with held.restoring():
            answer(context.values)
            after = answer(other)
    except Exception:
        return False  # it is said elsewhere
    return differing(context, after, fresh, [], "values")


def same_again(context: Context, answer: Callable[[tuple, dict], dict]) -> bool:
    """Tell whether the same data are answered alike twice; else it is no data that are kept."""
    try:
        with context.held.restoring():
            first, second = (answer(context.args, context.kwargs) for _ in range(2))
    except Exception:
        return True  # it is said elsewhere
    return not any(comparing.apart(first[name], second[name]) for name in first.keys() & second)


def after_and_fresh(held: Held, answer: Callable[[Any], Any], given: Any) -> Iterator[tuple]:
    """Yield two answers to other data: after these data, and of what has not seen them.

    There are none where no other data can be made that are taken.

    Args:
        held: what the model or the function holds.
        answer: what it says to some data; it keeps what it changes.
        given: the data.
    """
    for other in (varied(given, move, whole) for move, whole in OTHERS):
        if alike(given, other):
            continue
        try:
            with held.restoring():
                fresh = answer(other)
            with held.restoring():
                answer(given)
                after = answer(other)
        except Exception:
            continue  # other data do not fit
        yield after, fresh


def differing(
    context: Context, after: dict, fresh: dict, cases: list[str], kind: str = "data"
) -> bool:  # fmt: skip
    """Add a finding for the first site whose density the data before have changed, if any."""
    for name in after.keys() & fresh.keys():
        apart = comparing.apart(after[name], fresh[name])
        if apart:
            says = apart.says(f"on other {kind} after these {kind}", "in a fresh model")
            says += f"; {tidy(context.changed[0])} was kept"
            context.find("data-kept", says, name, cases)
            return True
    return False


def halfway_up(values: Any) -> Any:
    """Move numbers towards the largest: their order stays, and so does their range."""
    return 0.5 * values + 0.5 * values.max(axis=-1 if values.shape[-1] > 1 else None, keepdims=True)


def halfway_in(values: Any) -> Any:
    """Move numbers towards their mean: their sum stays as well, as that of probabilities must."""
    return 0.5 * values + 0.5 * values.mean(
        axis=-1 if values.shape[-1] > 1 else None, keepdims=True
    )


OTHERS: tuple[tuple[Callable, Callable], ...] = (
    (halfway_up, lambda values: values[::-1]),
    (halfway_up, lambda values: (values + values.max()) // 2),
    (halfway_up, lambda values: values + 1),
    (halfway_up, lambda values: values),
    (halfway_in, lambda values: values),
)
"""What is done to real numbers and to whole ones, tried in turn until the model takes them."""


def varied(given: Any, move: Callable, whole: Callable) -> Any:
    """Return arguments of the same shapes and types with other numbers.

    Args:
        given: arrays, numbers, frames of pandas, and containers of those.
        move: what is done to an array of real numbers.
        whole: what is done to one of integers, or of true and false.
    """

    def is_row(thing: Any) -> bool:
        return type(thing) is list and thing != [] and all(type(v) in (int, float) for v in thing)

    def other(thing: Any) -> Any:
        if is_row(thing):
            return other(np.asarray(thing)).tolist()
        if isinstance(thing, (np.ndarray, jax.Array)) and thing.size:
            if jnp.issubdtype(thing.dtype, jnp.floating):
                moved = move(thing) if np.ptp(thing) else 0.75 * thing  # equal ones, or a single
                return moved.astype(thing.dtype)
            is_whole = thing.ndim and (
                thing.dtype == bool or jnp.issubdtype(thing.dtype, jnp.integer)
            )
            return whole(thing).astype(thing.dtype) if is_whole else thing
        if type(thing).__module__.partition(".")[0] == "pandas" and hasattr(thing, "iloc"):
            return other_frame(thing)
        return 0.75 * thing if type(thing) is float else thing

    def other_frame(frame: Any) -> Any:
        new = frame.copy()
        if frame.ndim == 1:
            new[:] = other(frame.to_numpy())
            return new
        for name in frame.columns:
            if frame[name].dtype.kind in "fi":
                new[name] = other(frame[name].to_numpy())
        return new

    def ends(thing: Any) -> bool:  # other containers, such as distributions, stay as they are
        return is_row(thing) or not isinstance(thing, (dict, list, tuple))

    return jax.tree.map(other, given, is_leaf=ends)


def alike(first: Any, second: Any) -> bool:
    """Tell whether two sets of arguments hold the same numbers."""
    pairs = zip(jax.tree.leaves(first), jax.tree.leaves(second), strict=True)
    return all(a is b or np.array_equal(np.asarray(a), np.asarray(b)) for a, b in pairs)
