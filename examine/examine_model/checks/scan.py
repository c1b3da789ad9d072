"""Compute each step of a `scan` in the loop itself, and compare what comes out stacked."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpyro import distributions as dist
from numpyro.infer.autoguide import AutoGuide

from .. import comparing, running
from ..context import CannotRun, Context, NothingToCompare, refused

DRAWS = 6


def check(context: Context) -> None:
    """Compare the density of each stacked site with the sum over the steps.

    In the loop, each step returns the log density of its sites as a number. No distribution leaves
    the loop then, so none can be stacked wrongly. Several draws are made, since a bound that
    the data cross shows only where it is drawn too low. A guide by hand is compared likewise.

    Raises:
        NothingToCompare: there is no loop.
        CannotRun: the loop enumerates, or the model does not run under `jit`.
    """
    runs = [(context.model, context.draw)]
    if context.guide is not None and not isinstance(context.guide, AutoGuide):
        runs.append((context.guide, context.run(context.key(2), model=context.guide)))
    if not any(run.loops for _, run in runs):
        raise NothingToCompare("the model has no `scan` of NumPyro")
    if any(run.enumerated for _, run in runs):
        raise CannotRun("a `scan` with enumeration is not compared with its steps")
    for model, run in runs:
        if run.loops:
            compare(context, model, "in the guide " if model is context.guide else "")


def compare(context: Context, model: Any, where: str) -> None:
    """Compare the stacked sites of a model or a guide with their steps."""
    raised: dict[str, Exception] = {}
    kinds: dict[str, Any] = {}

    def numbers(rng_key: Any) -> dict[str, tuple[Any, Any, Any]]:
        by_name = {}
        for site, steps in context.run(rng_key, spy=True, model=model).scanned:
            kinds[site.name] = site.fn
            try:
                each = site.fn.log_prob(site.value)
            except Exception as error:
                raised[site.name] = error
                continue
            by_name[site.name] = by_step(each, steps)
        return by_name

    with refused("under `jit`"):
        drawn = running.quick(
            lambda key: jax.lax.map(numbers, jax.random.split(key, DRAWS)), context.key(2)
        )
    for name, reason in raised.items():
        says = f"{where}each step has a density, and the stacked site raises "
        says += running.brief(reason)
        context.find("stacked-raises", says, name, loud(kinds[name]))
    for name, draws in drawn.items():
        pairs = zip(*map(np.asarray, draws), strict=True)
        apart = [difference for pair in pairs if (difference := comparing.apart(*pair))]
        if apart:
            worst = max(apart, key=lambda difference: np.nan_to_num(abs(difference.gap())))
            says = where + worst.says("as NumPyro stacks the steps", "summed step by step")
            context.find("stacked-density", says, name, cases(kinds[name], worst))


def by_step(each: Any, steps: Any) -> tuple[Any, Any, Any]:
    """Return both densities by step, or in sum where a loop is in a loop, and their magnitude."""
    long = each.shape[:1] == steps.shape
    sums = each.reshape(len(steps), -1) if long else each.reshape(1, -1)
    steps = steps if long else jnp.sum(steps, keepdims=True)
    return sums.sum(1), steps, jnp.where(jnp.isfinite(sums), jnp.abs(sums), 0.0).sum(1)


def parts(fn: Any) -> list[Any]:
    """Return a distribution and those inside it."""
    inside = [fn]
    for inner in ("base_dist", "base_distribution", "_mixing_distribution"):
        held = getattr(fn, inner, None)
        if isinstance(held, dist.Distribution):
            inside += parts(held)
    return inside


def loud(fn: Any) -> list[str]:
    """Return the pages on a stacked distribution that raises, if it is one of theirs."""
    if any(isinstance(part, dist.MultivariateNormal) for part in parts(fn)):
        return ["mvn-inside-scan", "raises-in-scan"]
    theirs = {type(part).__name__ for part in parts(fn)} & {"MatrixNormal", "SineSkewed"}
    if theirs or not all(type(part).__module__.startswith("numpyro.") for part in parts(fn)):
        return ["raises-in-scan"] if theirs else []
    return ["exchanged-axes", "plate-axis-base-only", "two-plates"]  # with other sizes


def cases(fn: Any, apart: comparing.Apart) -> list[str]:
    """Return the cases that a wrong density of a stacked distribution belongs to."""
    if np.isinf(apart.there.sum()) and not np.isinf(apart.here.sum()):
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
