"""Look for observations that the model holds to be impossible."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from ..comparing import show
from ..context import Context, NothingToCompare


def check(context: Context) -> None:
    """Find observations with no finite log density at any of some prior draws.

    Where they lie outside a support that is the same in all draws, no latent can make up for it,
    and it is a finding; else, as with a bound that is itself drawn, it is a hint.

    Raises:
        NothingToCompare: nothing is observed.
    """
    draws = context.draws
    if not draws.inside:
        raise NothingToCompare("nothing is observed")
    for name, (inside, support) in draws.inside.items():
        rows = np.asarray(draws.rows[name])
        outside = np.broadcast_to(~as_rows(inside, rows), rows.shape)
        # A row that is masked, or scaled by zero, has a log density of exactly zero.
        impossible = ((outside | ~np.isfinite(rows)) & (rows != 0.0)).all(0)
        count = int(impossible.sum())
        if not count:
            continue
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
            context.hint("impossible-observation", says, name)


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
