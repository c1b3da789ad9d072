"""Compare the model in 32 bits with the same model in 64, at prior draws."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from .. import comparing, programs, running
from ..context import DRAWS, CannotRun, Context, NothingToCompare
from .jit import out_of_date

NATS = 0.5
"""By how much a log density may be wrong before inference notices."""


def check(context: Context) -> None:
    """Compute the log densities of some prior draws again with 64 bits.

    What the same change makes in 64 bits that rounding makes in 32 is no fault of the formula. A
    number too large or too small for 32 bits is a hint, since a prior draw may lie far out.

    Raises:
        NothingToCompare: no site has a density, JAX computes with 64 bits already, or the model
            draws more than its sites.
        CannotRun: the model does not run with 64 bits, or differs for another reason.
    """
    if jax.config.jax_enable_x64:
        raise NothingToCompare("JAX computes with 64 bits already")
    if not context.names:
        raise NothingToCompare("no site has a density")
    if context.own_draws:
        raise NothingToCompare("what the model draws beside its sites is another number in 64 bits")
    draws = context.draws
    wide, found = with_64(context, draws.values), {}
    for name in context.names:
        rows = zip(np.asarray(draws.rows[name]), *np.split(wide[name], 2), strict=True)
        found[name] = [lossy(*row) for row in rows]
    if not any(map(any, found.values())):
        return
    if context.noise is None or out_of_date(context):
        raise CannotRun("the model gives another log density when it is traced anew")
    for name, apart in found.items():
        compare(context, name, apart)


def with_64(context: Context, values: dict) -> dict[str, Any]:
    """Return the log densities at some draws in 64 bits, and at the same, slightly moved."""
    key, said = context.key(1), context.measuring(programs.widened((context.args, context.kwargs)))
    try:
        wide = programs.widened(jax.tree.map(np.asarray, values))
        both = jax.tree.map(lambda *rows: np.concatenate(rows), wide, comparing.shaken(wide))
        draws = np.arange(2 * DRAWS), both  # there is one number a draw also where nothing is drawn
        return programs.in_64_bits(
            lambda draws: jax.lax.map(lambda draw: said(key, draw[1]).rows, draws), draws
        )
    except Exception as error:
        raise CannotRun(f"with 64 bits it fails with {running.brief(error)}") from error


def lossy(here: Any, there: Any, moved: Any) -> comparing.Apart | None:
    """Return where 32 bits lose more than rounding of the inputs explains."""
    if not np.isfinite(there).all():
        return None
    found = comparing.apart(here, there, noise=comparing.rounding(there, moved))
    if found is None or not found.finite():
        return found
    largest = np.abs(found.here - found.there).max()
    return found if max(largest, abs(found.gap())) > NATS else None


def compare(context: Context, name: str, found: list[comparing.Apart | None]) -> None:
    """Add what was found for one site in some draws."""
    apart = [row for row in found if row]
    wrong = [row for row in apart if row.finite() or np.isposinf(row.here).any()]
    for rows, tell, case in (
        (wrong, context.find, "float32-likelihood"),
        (apart, context.hint, "divergences-unsaid"),
    ):
        if rows:
            worst = max(rows, key=lambda row: np.nan_to_num(abs(row.gap())))
            says = worst.says("with 32 bits", "with 64")
            says = f"in {len(rows)} of {len(found)} prior draws {says}"
            tell("float32", says, name, [case])
            return
