"""Compare the model in 32 bits with the same model in 64, at prior draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from .. import comparing, programs, running
from ..context import DRAWS, LARGE, CannotRun, Context, NothingToCompare, refused

NATS = 0.5
"""By how much a log density may be wrong before inference notices."""
ENDS = "it comes from a loop that ends by a condition: see what a smaller tolerance changes"
"""What is said where the number of steps is not the same either."""


def check(context: Context) -> None:
    """Compute the log densities of some prior draws again with 64 bits.

    What the same change makes in 64 bits that rounding makes in 32 is no fault of the formula. A
    number too large or too small for 32 bits is a hint, since a prior draw may lie far out. So is
    what a loop gives that ends by a condition, as a solver's at its tolerance: rounding decides how
    many steps it takes, and its own error may be larger.

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
    try:
        wide = with_64(context, whole=True)
    except CannotRun:  # a model that wants its whole numbers as they are
        wide = with_64(context)
    found = apart(context, context.draws.rows, wide)
    if not any(map(any, found.values())):
        return
    if any(row.check == "jit" for row in context.findings):
        raise NothingToCompare("`jit` says that the model gives another log density anew")
    if context.noise is None or out_of_date(context):
        raise CannotRun("the model gives another log density when it is traced anew")
    try:
        said = at_draws(context, as_real((context.args, context.kwargs)))
        draws = np.arange(DRAWS), context.draws.values
        real = apart(context, running.quick(said, *draws), wide)
    except Exception:  # whole numbers that have to be whole
        real = found
    iterated = context.traced.iterated()
    for name, rows in found.items():
        compare(context, name, rows, not any(real[name]), iterated[name])


def out_of_date(context: Context) -> bool:
    """Tell whether a program that was compiled before gives another density than a new one."""
    anew = context.ways.anew or {}
    return any(context.apart(name, context.ways.called[name], rows) for name, rows in anew.items())


def apart(context: Context, here: dict, wide: dict) -> dict[str, list[comparing.Apart | None]]:
    """Return by site where log densities in 32 bits lose something, at each draw."""
    found = {}
    for name in context.names:
        rows = zip(np.asarray(here[name]), *np.split(wide[name], 2), strict=True)
        found[name] = [lossy(*row) for row in rows]
    return found


def as_real(given: Any) -> Any:
    """Return arguments in which large whole numbers are real ones."""

    def real(leaf: Any) -> Any:
        if not (hasattr(leaf, "dtype") and jax.dtypes.issubdtype(leaf.dtype, np.signedinteger)):
            return leaf
        return np.float32(leaf) if np.max(np.abs(leaf), initial=0) > LARGE else leaf

    return jax.tree.map(real, given)


def rounded_together(given: Any) -> bool:
    """Tell whether an array of doubles has 32 bits too few for what varies in it, as times have."""
    for leaf in jax.tree.leaves(given):
        if isinstance(leaf, np.ndarray) and leaf.dtype == np.float64 and leaf.size:
            step = np.spacing(np.float32(np.abs(leaf).max()))
            if step > np.ptp(leaf) / 1000 > 0:
                return True
    return False


def at_draws(context: Context, given: Any) -> Callable[..., dict[str, Any]]:
    """Return a function of numbered draws: their log densities, with some arguments."""
    key, said = context.key(1), context.measuring(given)
    return lambda *draws: jax.lax.map(lambda draw: said(key, draw[1]).rows, draws)


def with_64(context: Context, whole: bool = False) -> dict[str, Any]:
    """Return the log densities at the draws in 64 bits, and at the same, slightly moved.

    With `whole`, whole numbers among the arguments have 64 bits too.
    """
    given = programs.widened((context.args, context.kwargs), whole)
    wide = programs.widened(jax.tree.map(np.asarray, context.draws.values))
    both = jax.tree.map(lambda *rows: np.concatenate(rows), wide, comparing.shaken(wide))
    with refused("with 64 bits"), context.held.copied():
        found = programs.in_64_bits(at_draws(context, given), np.arange(2 * DRAWS), both)
    if not found.keys() >= {*context.names}:  # a name may hold a tracer of this run
        raise CannotRun("with 64 bits the model has other sites")
    return found


def lossy(here: Any, there: Any, moved: Any) -> comparing.Apart | None:
    """Return where 32 bits lose more than rounding of the inputs explains.

    What has no probability gets the smallest of each type from NumPyro, and is left out.
    """
    if not np.isfinite(there).all():
        return None
    least = [np.log(float(np.finfo(kind).tiny)) for kind in (np.float32, np.float64)]
    clamped = (np.abs(here - least[0]) < 0.01) & (np.abs(there - least[1]) < 0.01)
    here = np.where(clamped, there, here)
    found = comparing.apart(here, there, noise=comparing.rounding(there, moved))
    if found is None or not found.finite():
        return found
    largest = np.abs(found.here - found.there).max()
    return found if max(largest, abs(found.gap())) > NATS else None


def compare(
    context: Context, name: str, found: list[comparing.Apart | None], by_whole_numbers: bool,
    iterated: bool,
) -> None:  # fmt: skip
    """Add what was found for one site in some draws."""
    apart = [row for row in found if row]
    wrong = [row for row in apart if row.finite() or np.isposinf(row.here).any()]
    for rows, tell, case in (
        (wrong, context.find, "float32-likelihood"),
        (apart, context.hint, "divergences-unsaid"),
    ):
        cases = ["seconds-since-1970"] if rounded_together((context.args, context.kwargs)) else []
        if rows:
            worst = max(rows, key=lambda row: np.nan_to_num(abs(row.gap())))
            says = worst.says("with 32 bits", "with 64")
            says = f"in {len(rows)} of {len(found)} prior draws {says}"
            if by_whole_numbers:
                says += "; it is whole numbers that need the 64, among the arguments"
                context.find("int32", says, name, ["int32-sum"])
            elif iterated:
                says += f"; {ENDS}"
                context.hint("float32", says, name, [*cases, case])
            else:
                tell("float32", says, name, [*cases, case])
            return
