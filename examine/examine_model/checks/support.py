"""Look for observations that the model holds to be impossible."""

from __future__ import annotations

import contextlib
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpyro import distributions as dist

from .. import programs
from ..comparing import show
from ..context import DRAWS, CannotRun, Context

SEVERAL = 2
"""Prior draws in which a density has to be NaN: one may lie far out."""
FREE = 2.0
"""How far from zero the points of a support are taken, where it is unconstrained."""


def check(context: Context) -> None:
    """Find what the model holds to be impossible, and densities that are no number.

    Observations with no finite log density at any of some prior draws: where they lie outside a
    support that is the same in all draws, no latent can make up for it, and it is a finding; else,
    as with a bound that is itself drawn, it is a hint. A support that is larger than that of the
    distribution which is transformed lets a sampler go where there is no probability.

    Raises:
        CannotRun: the model does not run under `jit`.
    """
    for name, site in context.draw.samples().items():
        if site.latent and not site.looped:
            too_wide(context, name, site.fn)
    draws, named = context.draws, set[str]()
    for name, (inside, support) in draws.inside.items():
        rows = np.asarray(draws.rows[name])
        outside = np.broadcast_to(~as_rows(inside, rows), rows.shape)
        # A row that is masked, or scaled by zero, has a log density of exactly zero.
        impossible = ((outside | ~np.isfinite(rows)) & (rows != 0.0)).all(0)
        count = int(impossible.sum())
        if not count:
            continue
        named.add(name)
        fixed = all(np.ptp(np.asarray(leaf), axis=0).max(initial=0.0) == 0.0 for leaf in support)
        some = "the observation" if rows[0].size == 1 else f"{count:,} of {rows[0].size:,} rows"
        some += first(context.draw.samples()[name].value, impossible)
        if fixed and outside.all(0)[impossible].all():
            law = context.draw.samples()[name].fn
            while hasattr(law, "base_dist"):
                law = law.base_dist
            says = f"{some}: outside the support of {type(law).__name__}, whatever the latents are"
            context.find("impossible-observation", says, name)
        else:
            says = f"{some}: the log density is not finite in any of {len(rows)} prior draws"
            tell = context.find if np.isnan(rows[:, impossible]).all() else context.hint
            tell("impossible-observation", says, name)
    no_number(context, named)


def no_number(context: Context, named: set[str]) -> None:
    """Find sites whose log density is NaN in several prior draws, and with 64 bits too.

    Where it is so in one draw only, that is a hint, since it may lie far out.
    """
    for name, rows in context.draws.rows.items():
        broken = is_nan(rows)
        if name in named or not broken.any():
            continue
        with contextlib.suppress(CannotRun, KeyError):  # `precision` says so
            broken &= is_nan(context.wide.rows[name])
        if broken.any():
            says = f"in {broken.sum()} of {len(broken)} prior draws its log density is NaN"
            tell = context.find if broken.sum() >= SEVERAL else context.hint
            tell("nan-density", says, name)
            return


def is_nan(rows: Any) -> np.ndarray:
    """Return whether there is a NaN in each draw."""
    return np.isnan(np.asarray(rows)).reshape(len(rows), -1).any(1)


def too_wide(context: Context, name: str, law: Any) -> None:
    """Find a transformed distribution whose support the distribution inside does not have.

    Points of the support are mapped back, in 64 bits, and the distribution inside is asked.
    """
    while hasattr(law, "base_dist") and not isinstance(law, dist.TransformedDistribution):
        law = law.base_dist
    if not isinstance(law, dist.TransformedDistribution):
        return
    try:
        with programs.enable_x64(True):
            way, base = dist.biject_to(law.support), law.base_dist
            inverse = jax.eval_shape(way.inv, jnp.zeros(law.shape()))
            free = np.random.default_rng(0).uniform(-FREE, FREE, (DRAWS, *inverse.shape))
            back = way(jnp.asarray(free))
            for transform in reversed(law.transforms):
                back = transform.inv(back)
            outside = ~np.asarray(base.support(back)) & np.isfinite(np.asarray(back)).all()
    except Exception:  # a transform without an inverse
        return
    if outside.any():
        says = (
            f"its support is {law.support}, and there its base {type(base).__name__} is asked for "
            f"values outside of its own, {base.support}: a sampler goes there"
        )
        context.find("support-too-wide", says, name)


def as_rows(inside: Any, rows: np.ndarray) -> np.ndarray:
    """Return what the support says with as many axes as the log densities have."""
    inside = np.asarray(inside)
    missing = rows.ndim - inside.ndim
    return inside.reshape(inside.shape[:1] + (1,) * missing + inside.shape[1:])


def first(value: Any, impossible: np.ndarray) -> str:
    """Return the first observation that is impossible, where there is one for each row."""
    if np.size(value) != impossible.size or jax.numpy.ndim(value) != impossible.ndim:
        return ""
    return f", such as {show(np.asarray(value)[impossible][0])}"
