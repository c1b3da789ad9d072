"""Compare the model with what XLA makes of it for inference, at the reader's own size.

No model of the trials shows such a fault. It stays because releases of jaxlib had it, at sizes at
which no other check compiles as inference does;
`network` in `tests/test_checks.py` is of that size.
"""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from ..context import LARGE, CannotRun, Context, NothingToCompare, refused


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
    for name in context.names:
        apart = context.apart(name, context.ways.called[name], compiled[name])
        if not apart:
            continue
        if context.noise is None:
            raise CannotRun("the model gives another log density in each run")
        if np.isinf([apart.here, apart.there]).any():
            continue  # left to `jit`, which knows what XLA avoids
        says = apart.says("as it is called", "in the program that XLA makes of it")
        says += f". Arrays have up to {size:,} numbers, and rounding does not explain it: the "
        context.find("miscompiled", f"{says}compiler is at fault", name)


def densities_compiled(context: Context) -> dict[str, Any]:
    """Return the log density of each site from one program, compiled as `jax.jit` does."""
    measured, key = context.measuring(), context.key(1)
    with refused("under `jit`"):
        return jax.jit(lambda values: measured(key, values).rows)(context.values)
