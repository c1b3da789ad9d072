"""Compare the model with what XLA makes of it for inference, at the reader's own size."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .. import running
from ..context import LARGE, CannotRun, Context, NothingToCompare, is_smooth

NAME = "compiled"
STEPS = 8
"""Rounding errors by which values and data are moved, to see what rounding alone may change."""
ROUNDED = 64
"""Rounding errors of its largest part that a sum may have."""


def check(context: Context) -> None:
    """Compile the log densities with all that XLA does by default, and compare each with itself.

    The check `jit` compiles fast, with most of that left out, and so does not see a compiler that
    makes a mistake. How far two right answers may lie apart is measured: by the change that
    rounding errors in the values and the data make.

    Raises:
        NothingToCompare: no site has a density, or all arrays are small.
        CannotRun: it does not compile, or another run gives another density.
    """
    if not context.names:
        raise NothingToCompare("no site has a density")
    size = context.largest
    if size <= LARGE and not context.slow:
        raise NothingToCompare(f"no array has more than {LARGE:,} numbers; `slow=True` compiles it")
    called = running.densities(context.back, context.names)
    compiled = densities_compiled(context)
    apart = {name: row for name, row in called.items() if differ(row, compiled[name], ROUNDED)}
    if not apart:
        return
    again = running.densities(context.run(context.key(1), context.values), context.names)
    moved = running.densities(slightly_moved(context), context.names)
    for name, (here, magnitude) in apart.items():
        if differ((here, magnitude), again[name][0], ROUNDED):
            raise CannotRun(f"site {name!r} has another log density in each run")
        there = compiled[name]
        noise = abs(float(here) - float(moved[name][0])) if name in moved else 0.0
        if abs(float(here) - float(there)) > STEPS * noise:
            says = (
                f"its log density is {float(here):.7g} as it is called, and {float(there):.7g} in "
                f"the program that XLA makes of it for arrays of {size:,} numbers, which rounding "
                "does not explain: the compiler is at fault"
            )
            context.find(NAME, says, name)


def densities_compiled(context: Context) -> dict[str, float]:
    """Return the log density of each site from one program, compiled as `jax.jit` does."""
    names, key, held = context.names, context.key(1), context.held
    free = {name: value for name, value in context.values.items() if is_smooth(value)}
    rest = {name: value for name, value in context.values.items() if name not in free}

    def totals(free: dict) -> dict[str, Any]:
        found = running.densities(context.run(key, {**rest, **free}), names)
        held.restore()
        return {name: total for name, (total, _) in found.items()}

    try:
        return {name: float(total) for name, total in jax.jit(totals)(free).items()}
    except Exception as error:
        raise CannotRun(running.blame(error, "under `jit`")) from error


def differ(one: tuple[Any, Any], other: Any, rounded: float) -> bool:
    """Tell whether two sums differ by more than some rounding errors of their parts.

    An infinite one is left to the check `jit`, which knows what XLA avoids.
    """
    here, there = float(one[0]), float(other)
    if np.isinf(here) or np.isinf(there) or (np.isnan(here) and np.isnan(there)):
        return False
    allowed = rounded * float(jnp.finfo(jnp.result_type(float)).eps) * max(1.0, float(one[1]))
    return not abs(here - there) <= allowed


def slightly_moved(context: Context) -> running.Run:
    """Run the model on values and data that are moved by a few rounding errors."""

    def move(leaf: Any) -> Any:
        floating = hasattr(leaf, "dtype") and jnp.issubdtype(leaf.dtype, jnp.floating)
        return leaf * (1 + STEPS * jnp.finfo(leaf.dtype).eps) if floating else leaf

    args, kwargs, values = jax.tree.map(move, (context.args, context.kwargs, context.values))
    try:
        return running.run(context.model, args, kwargs, context.key(1), values)
    except Exception:  # a model that refuses such data
        return running.run(context.model, context.args, context.kwargs, context.key(1), values)
    finally:
        context.held.restore()
