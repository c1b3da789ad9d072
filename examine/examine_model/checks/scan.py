"""Compute each step of a `scan` in the loop itself, and compare what comes out stacked."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpyro import distributions as dist

from .. import running
from ..context import CannotRun, Context, NothingToCompare

NAME = "scan"
DRAWS = 6


def check(context: Context) -> None:
    """Compare the density of each stacked site with the sum over the steps.

    In the loop, each step returns the log density of its sites as a number. No distribution leaves
    the loop then, so none can be stacked wrongly. Several draws are made, since a bound that
    the data cross shows only where it is drawn too low.

    Raises:
        NothingToCompare: there is no loop.
        CannotRun: the loop enumerates, or the model does not run under `jit`.
    """
    if not context.draw.loops:
        raise NothingToCompare("the model has no `scan` of NumPyro")
    if context.draw.enumerated:
        raise CannotRun("a `scan` with enumeration is not compared with its steps")
    raised: dict[str, Exception] = {}
    kinds: dict[str, Any] = {}
    shapes: dict[str, tuple] = {}

    def numbers(rng_key: Any) -> dict[str, tuple[Any, Any, Any]]:
        found = {}
        for site in context.run(rng_key, spy=True).scanned:
            steps = jnp.sum(site.steps)
            kinds[site.name] = site.fn
            shapes[site.name] = (np.shape(site.value), np.shape(site.steps))
            try:
                each = site.fn.log_prob(site.value)
            except Exception as error:
                raised[site.name] = error
                found[site.name] = steps, steps, steps
                continue
            size = jnp.sum(jnp.where(jnp.isfinite(each), jnp.abs(each), 0.0))
            found[site.name] = jnp.sum(each), steps, size
        return found

    keys = jax.random.split(context.key(2), DRAWS)
    try:
        drawn = running.quick(lambda keys: jax.lax.map(numbers, keys), keys)
    except Exception as error:
        raise CannotRun(running.blame(error, "under `jit`")) from error
    for name, reason in raised.items():
        says = f"each step has a density, and the stacked site raises {running.brief(reason)}"
        context.find(NAME, says, name, loud(kinds[name]))
    for name, (stacked, steps, size) in drawn.items():
        rows = zip(map(float, stacked), map(float, steps), map(float, size), strict=True)
        apart = [row for row in rows if running.differ(*row)]
        if apart:
            got, wanted, _ = max(apart, key=lambda row: abs(np.nan_to_num(row[0] - row[1])))
            says = (
                f"its log density is {got:.5g} as NumPyro stacks the steps, and {wanted:.5g} "
                f"summed step by step"
            )
            context.find(NAME, says, name, cases(kinds[name], got, wanted))


def parts(fn: Any) -> list[Any]:
    """Return a distribution and those inside it."""
    found = [fn]
    for inner in ("base_dist", "base_distribution", "_mixing_distribution"):
        held = getattr(fn, inner, None)
        if isinstance(held, dist.Distribution):
            found += parts(held)
    return found


def loud(fn: Any) -> list[str]:
    """Return the pages on a stacked distribution that raises, if it is one of theirs."""
    if any(isinstance(part, dist.MultivariateNormal) for part in parts(fn)):
        return ["mvn-inside-scan", "raises-in-scan"]
    theirs = {type(part).__name__ for part in parts(fn)} & {"MatrixNormal", "SineSkewed"}
    return ["raises-in-scan"] if theirs else []


def cases(fn: Any, got: float, wanted: float) -> list[str]:
    """Return the cases that a wrong density of a stacked distribution belongs to."""
    if np.isinf(wanted) and not np.isinf(got):
        return ["scan-forgets-validation"]
    names = {type(part).__name__ for part in parts(fn)}
    if "MatrixNormal" in names:
        return ["matrix-normal-in-scan"]
    if "ZeroSumNormal" in names:
        return ["zero-sum-normal-in-scan"]
    if any(isinstance(part, dist.MultivariateNormal) for part in parts(fn)):
        return ["mvn-inside-scan", "exchanged-axes"]
    if not all(type(part).__module__.startswith("numpyro.") for part in parts(fn)):
        return []  # one of the reader's own may stack wrongly in ways of its own
    return ["exchanged-axes", "plate-axis-base-only", "two-plates"]
