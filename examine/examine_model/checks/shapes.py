"""Compare the shape of a draw with the shape that its distribution claims."""

from __future__ import annotations

from typing import Any

import jax

from ..context import Context


def check(context: Context) -> None:
    """Find the distributions whose draws have another shape than `batch_shape + event_shape`."""
    for name, site in context.draw.samples().items():
        if site.traced or site.looped or not hasattr(site.fn, "sample"):
            continue
        claimed = getattr(site.fn, "shape", None)
        if claimed is None:
            continue
        try:
            drawn = jax.eval_shape(site.fn.sample, context.rng_key).shape
        except Exception:
            continue  # it cannot be drawn from, as with an improper prior
        if drawn != claimed():
            says = (
                f"it claims the shape {claimed()}, and its draws have {drawn}: "
                f"{type(site.fn).__name__}{stacked(site.fn)}"
            )
            context.find("claimed-shape", says, name, ["vmap-built-distribution"])


def stacked(fn: Any) -> str:
    """Return the shapes of a distribution's parameters, in brackets."""
    names = getattr(fn, "arg_constraints", {})
    rows = [f"{name} {jax.numpy.shape(getattr(fn, name))}" for name in names if hasattr(fn, name)]
    return f" with {', '.join(rows)}" if rows else ""
