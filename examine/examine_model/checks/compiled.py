"""Compare the model with what XLA makes of it for inference, at the reader's own size."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from .. import running
from ..comparing import densities, is_smooth
from ..context import LARGE, CannotRun, Context, NothingToCompare


def check(context: Context) -> None:
    """Compile the log densities with all that XLA does by default, and compare each with itself.

    The check `jit` compiles fast, with most of that left out, and so does not see a compiler that
    makes a mistake.

    Raises:
        NothingToCompare: no site has a density, or all arrays are small.
        CannotRun: it does not compile, or another run gives another density.
    """
    if not context.names:
        raise NothingToCompare("no site has a density")
    size = context.largest
    if size <= LARGE and not context.slow:
        raise NothingToCompare(f"no array has more than {LARGE:,} numbers; `slow=True` compiles it")
    compiled = densities_compiled(context)
    for name, rows in context.called.items():
        found = context.apart(name, rows, compiled[name])
        if not found:
            continue
        if context.noise is None:
            raise CannotRun("the model gives another log density in each run")
        if np.isinf([found.here, found.there]).any():
            continue  # left to `jit`, which knows what XLA avoids
        says = found.says("as it is called", "in the program that XLA makes of it")
        says += f". Arrays have up to {size:,} numbers, and rounding does not explain it: the "
        context.find("miscompiled", f"{says}compiler is at fault", name)


def densities_compiled(context: Context) -> dict[str, Any]:
    """Return the log density of each site from one program, compiled as `jax.jit` does."""
    names, key, held = context.names, context.key(1), context.held
    free = {name: value for name, value in context.values.items() if is_smooth(value)}
    rest = {name: value for name, value in context.values.items() if name not in free}

    def rows(free: dict) -> dict[str, Any]:
        found = densities(context.run(key, {**rest, **free}), names)
        held.restore()
        return found

    try:
        return jax.jit(rows)(free)
    except Exception as error:
        raise CannotRun(running.blame(error, "under `jit`")) from error
