"""Count the observations, and how often each is in the log density."""

from __future__ import annotations

import contextlib
import functools
import inspect
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ..comparing import density, is_real
from ..context import Context, NothingToCompare
from ..running import Site
from . import rows


def check(context: Context) -> None:
    """Find observations that broadcasting repeats, and hint at those that share one distribution.

    Observations of the shape (n, 1) and means of the shape (n,) have n * n log densities, also
    where a plate declares the axis of the means: the data are on the other. Data that lack the axis
    of a plate are a hint: several models of the same data are written so. A `factor` that is one
    sum is repeated by a plate around it. A plate that subsamples is handed other indices.

    Raises:
        NothingToCompare: nothing is observed outside of loops.
    """
    sites = context.draw.samples()
    if not any(site.observed for site in sites.values()):
        nothing_observed(context)
    observed = [
        name for name in context.names if sites[name].has_data and not sites[name].looped
    ]  # fmt: skip
    for name in observed:
        of_observations(context, name, sites[name])
    for name in context.names:
        site = sites[name]
        if site.observed and not site.has_data and not site.looped:
            of_factor(context, name, site)
    of_subsamples(context, observed)
    looked_at_rows = rows.check(context)
    if not (observed or looked_at_rows):
        raise NothingToCompare("no observation is outside of loops")


def nothing_observed(context: Context) -> None:
    """Find a model that observes nothing, and reads not all its data or has an argument for them.

    Otherwise it is a hint: a model may be there to draw from. So it is with a guide that has been
    used, which predicts.
    """
    says = "no site is observed and there is no factor, so inference returns the prior"
    left_out = omitted(context)
    odd = bool(left_out) or ignores_some(context)
    if left_out:
        says += f": the argument {left_out[0]!r} was not given"
    elif odd:
        says += ", and not all its data are read: look for a name that is spelt in another way"
    predicts = getattr(context.guide, "prototype_trace", None) is not None
    tell = context.find if odd and not predicts else context.hint
    tell("nothing-observed", says)


def ignores_some(context: Context) -> bool:
    """Tell whether the numbers of a run do not depend on one of the arrays that are given."""

    def moved(own: Any, leaf: Any) -> Any:
        return leaf + 1 if leaf is own else leaf

    for leaf in jax.tree.leaves((context.args, context.kwargs)):
        if not np.ndim(leaf) or not is_real(leaf):
            continue
        with contextlib.suppress(Exception):  # a model that refuses such data
            here, there = (
                context.changed_by(functools.partial(moved, own)) for own in (None, leaf)
            )
            if all(np.array_equal(here[name], there[name], equal_nan=True) for name in here):
                return True
    return False


def omitted(context: Context) -> list[str]:
    """Return the arguments of the model that are None because they were left out."""
    try:
        signature = inspect.signature(context.model)
        bound = signature.bind(*context.args, **context.kwargs).arguments
    except (TypeError, ValueError):
        return []
    parameters = signature.parameters.items()
    return [
        name
        for name, parameter in parameters
        if parameter.default is None and bound.get(name) is None
    ]


def of_observations(context: Context, name: str, site: Site) -> None:
    """Compare the shapes of the observations of a site, of its distribution, of its rows."""
    rows = jax.eval_shape(functools.partial(density, site)).shape
    shape, batch = jnp.shape(site.value), site.fn.batch_shape
    given = shape[: len(shape) - len(site.fn.event_shape)]
    events = shape[len(given) :] if "Independent" in type(site.fn).__name__ else ()
    grown = repeated(given, rows)
    by = math.prod(rows) // max(math.prod(given), 1)
    says = (
        f"its {math.prod(shape):,} observations have the shape {shape} and its distribution "
        f"{batch + tuple(site.fn.event_shape)}, so the log density is a sum over {rows}: each "
        f"counts {by:,} times"
    )
    if crossed(given, events, rows, grown, site.plates):
        context.find("broadcast", says, name, [] if events else ["column-against-row"])
    elif math.prod(given) > 1 and any(
        axis not in site.plates or axis < -len(given) for axis in grown
    ):
        context.hint("broadcast", says, name, ["column-against-row"])
    elif math.prod(given) > math.prod(batch):
        says = (
            f"{math.prod(given):,} observations share a distribution of the shape {batch}: "
            f"without `obs` it draws {math.prod(batch):,}, so `Predictive` does too"
        )
        context.hint("missing-plate", says, name)


def repeated(given: tuple, rows: tuple) -> list[int]:
    """Return the axes, counted from the last, along which observations are repeated."""
    had = (1,) * (len(rows) - len(given)) + given
    return [axis for axis in range(-len(rows), 0) if had[axis] == 1 and rows[axis] > 1]


def crossed(
    given: tuple, events: tuple, rows: tuple, grown: list[int], plates: tuple[int, ...]
) -> bool:  # fmt: skip
    """Tell whether data are repeated along an axis as long as one of their own.

    Where plates declare both axes, that is meant.
    """
    own = [(length, axis in plates) for axis, length in enumerate(given, -len(given))]
    own += [(length, False) for length in events]
    return any(
        length == rows[axis] and not (declared and axis in plates)
        for axis in grown for length, declared in own
    )  # fmt: skip


def of_factor(context: Context, name: str, site: Site) -> None:
    """Find a factor that is the sum over the members of a plate around it, which repeats it.

    A factor that is one number may be meant to count for each member, so it is moved by the data:
    by two members, one after the other.
    """
    rows = np.asarray(context.draws.rows[name])[0]
    repeats = [axis for axis in site.plates if rows.ndim >= -axis and rows.shape[axis] > 1]
    for axis in repeats:
        if np.ptp(rows, axis=axis).max(initial=0.0) == 0.0 and sums(context, name, rows, axis):
            times = rows.shape[axis]
            says = (
                f"it is one sum over the {times:,} members of the plate around it, and counts "
                f"{times:,} times: hand over one number for each member, or leave the plate"
            )
            context.find("factor-repeated", says, name)
            return


def sums(context: Context, name: str, rows: np.ndarray, axis: int) -> bool:
    """Tell whether each of two rows of the data moves the same number."""
    length = rows.shape[axis]

    def moved(member: int, leaf: Any) -> Any:
        shape, kind = np.shape(leaf), getattr(leaf, "dtype", None)
        if not shape or shape[0] != length or not np.issubdtype(kind, np.floating):
            return leaf
        new = np.array(leaf)
        new[member] += 0.1 * (np.std(new) or 1.0)
        return new if isinstance(leaf, np.ndarray) else jnp.asarray(new)

    try:
        here = context.changed_by(lambda leaf: leaf)[name]
        there = [
            context.changed_by(functools.partial(moved, index))[name] for index in (0, length - 1)
        ]
    except Exception:  # a model that refuses such data
        return False
    return not any(np.allclose(here, rows, rtol=1e-6) for rows in there)


def of_subsamples(context: Context, observed: list[str]) -> None:
    """Find a plate that chooses rows of the data, and a site in it that observes the same ones.

    Rows that the model is not given are chosen outside of it, and that is meant.
    """
    sites = context.draw.samples()
    for plate in (site for site in context.draw.sites if site.subsample and not site.traced):
        size, index = plate.size, np.asarray(plate.value)
        leaves = [np.shape(leaf)[:1] for leaf in jax.tree.leaves((context.args, context.kwargs))]
        if (size,) not in leaves or index.ndim != 1 or index.size == size:
            continue
        other = jnp.asarray((index + max(1, size // 2)) % size, index.dtype)
        there = context.run(context.key(1), {**context.values, plate.name: other}).samples()
        for name in observed:
            here = np.asarray(sites[name].value)
            if plate.name not in sites[name].in_plates or name not in there or np.ptp(here) == 0:
                continue
            if np.array_equal(here, np.asarray(there[name].value)):
                says = (
                    f"the plate {plate.name!r} chooses {index.size:,} of {size:,} rows, and this "
                    "site observes the same ones whatever it chooses: index the data by what the "
                    "plate returns"
                )
                context.find("subsample-ignored", says, name)
