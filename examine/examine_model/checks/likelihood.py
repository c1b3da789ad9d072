"""Count the observations, and how often each is in the log density."""

from __future__ import annotations

import functools
import math

import jax
import jax.numpy as jnp

from ..comparing import density
from ..context import Context, NothingToCompare


def check(context: Context) -> None:
    """Find observations that broadcasting repeats, and hint at those that share one distribution.

    Observations of the shape (n, 1) and means of the shape (n,) have n * n log densities. An axis
    that a plate declares is meant to be there.

    Raises:
        NothingToCompare: nothing is observed.
    """
    sites = context.draw.samples()
    observed = [
        name for name in context.names if sites[name].has_data and not sites[name].looped
    ]  # fmt: skip
    if not observed:
        raise NothingToCompare("nothing is observed outside of loops")
    for name in observed:
        site = sites[name]
        rows = jax.eval_shape(functools.partial(density, site)).shape
        events = len(site.fn.event_shape)
        shape = jnp.shape(site.value)
        given, batch = shape[: len(shape) - events], site.fn.batch_shape
        if math.prod(given) > 1 and repeated(given, rows, site.plates):
            says = (
                f"its {math.prod(given):,} observations have the shape {given} and its "
                f"distribution {batch}, so the log density is a sum over {rows}: each counts "
                f"{math.prod(rows) // math.prod(given):,} times"
            )
            context.find("broadcast", says, name, ["column-against-row"])
        elif math.prod(given) > math.prod(batch):
            says = (
                f"{math.prod(given):,} observations share a distribution of the shape {batch}: "
                f"without `obs` it draws {math.prod(batch):,}, so `Predictive` does too"
            )
            context.hint("missing-plate", says, name)


def repeated(given: tuple, rows: tuple, plates: tuple[int, ...]) -> bool:
    """Tell whether observations are repeated along an axis that no plate declares."""
    ones = (1,) * (len(rows) - len(given))
    grown = [
        axis - len(rows) for axis, (had, has) in enumerate(zip(ones + given, rows, strict=True))
        if had == 1 and has > 1
    ]  # fmt: skip
    return any(axis not in plates for axis in grown)
