"""Compare the model as it is called, under `jit`, and without any compiled program."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from .. import running
from ..context import LARGE, CannotRun, Context, NothingToCompare

NAME = "jit"
STALE = (
    "callable-global-changed", "callable-attribute-changed", "jitted-method", "mutable-key",
    "hash-omits-field", "equal-other-type", "filter-jit-equal-number", "numpy-array-in-place",
    "noise-layer",
)  # fmt: skip


def check(context: Context) -> None:
    """Compute one draw's densities three ways: as called, under `jit`, under `disable_jit`.

    The last uses no program that was compiled before, so a program that is out of date shows.

    Raises:
        NothingToCompare: no site has a density.
        CannotRun: one of the ways raises, or it would take long.
    """
    if not context.names:
        raise NothingToCompare("no site has a density")
    ways = context.ways
    called, found = (ways.back, ways.also), len(context.findings)
    if ways.anew is not None:
        compare(context, called, ways.anew, "without compiled programs", stale(context))
    if len(context.findings) == found:
        compare(context, called, ways.under_jit, "under `jit`", ())
    if ways.anew is None:
        raise CannotRun(ways.why)


def apart(one: dict, other: dict) -> bool:
    """Tell whether the density of any site differs."""
    return any(running.differ(row[0], other[name][0], row[1]) for name, row in one.items())


def overflows(context: Context, name: str, here: Any, there: Any, size: Any) -> bool:
    """Tell whether a density is infinite in one way only because XLA computes another formula.

    Then it is the same, one operation after another, as the model is called: XLA takes log(exp(x))
    for x, which has a value where exp(x) is zero.
    """
    if np.isfinite(float(here)) and np.isfinite(float(there)):
        return False
    try:
        return name in context.stepwise and not running.differ(
            here, context.stepwise[name][0], size
        )
    except Exception:
        return False


def stale(context: Context) -> tuple[str, ...]:
    """Return the cases of a program that is out of date, those of sites inside a trace first.

    None is named where the model compiled here gives the other number too, with data of a size at
    which compilers have been wrong: then the program that was compiled before need not be old.
    """
    ways = context.ways
    if context.largest > LARGE and ways.anew and not apart(ways.under_jit[0], ways.anew[0]):
        return ()
    traced = [site for site in context.draw.sites if site.traced == "DynamicJaxprTracer"]
    if not traced:
        return STALE
    with jax.disable_jit():
        steps = context.run(context.key(1)).repeated()
    in_loop = any(site.name in steps for site in traced)
    return ("straight-walk",) if in_loop else ("jitted-draw-keeps-seed",)


def compare(
    context: Context, one: tuple[dict, Any], other: tuple[dict, Any],
    second: str, cases: tuple[str, ...],
) -> None:  # fmt: skip
    """Add a finding for what two ways of running give differently, the densities first."""
    first = "as it is called"
    for name, (here, size) in one[0].items():
        if name not in other[0]:
            continue
        there, _ = other[0][name]
        if running.differ(here, there, size):
            says = (
                f"its log density is {running.show(here)} {first}, and {running.show(there)} "
                f"{second}"
            )
            if overflows(context, name, here, there, size):
                says += "; a number is too large or too small on the way, and XLA avoids it"
                if not any(hint.site == name for hint in context.hints):
                    context.hint(NAME, says, name)
                continue
            context.find(NAME, says, name, cases)
            return
    here, there = one[1], other[1]
    for name, value in here["deterministic"].items():
        if name in there["deterministic"] and not running.same(value, there["deterministic"][name]):
            says = (
                f"it is {running.show(value)} {first}, and "
                f"{running.show(there['deterministic'][name])} {second}"
            )
            context.find(NAME, says, name, cases)
            return
    if not running.same(here["result"], there["result"]):
        rows = zip(here["result"], there["result"], strict=True)
        value, wanted = next(row for row in rows if not running.same(*row))
        says = (
            f"the model returns {running.show(value)} {first}, and {running.show(wanted)} {second}"
        )
        context.find(NAME, says, "", cases)
