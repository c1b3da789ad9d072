"""Compare the model as it is called, under `jit`, and without any compiled program."""

from __future__ import annotations

from typing import Any

import jax

from ..comparing import same, show
from ..context import LARGE, CannotRun, Context, NothingToCompare

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
    found = len(context.findings)
    if ways.anew is not None:
        compare(context, ways.called, ways.anew, "without compiled programs", stale(context))
    if len(context.findings) == found:
        compare(context, ways.called, ways.under_jit, "under `jit`", ())
    if ways.anew is None:
        raise CannotRun(ways.why)


def out_of_date(context: Context) -> bool:
    """Tell whether a program that was compiled before gives another density than a new one."""
    ways = context.ways
    anew = ways.anew[0] if ways.anew else {}
    return any(context.apart(name, ways.called[0][name], rows) for name, rows in anew.items())


def stale(context: Context) -> tuple[str, ...]:
    """Return the cases of a program that is out of date, those of sites inside a trace first.

    None is named where the model compiled here gives the other number too, with data of a size at
    which compilers have been wrong: then the program that was compiled before need not be old.
    """
    ways = context.ways
    if context.largest > LARGE and ways.anew:
        rows = [(name, ways.under_jit[0][name], fresh) for name, fresh in ways.anew[0].items()]
        if not any(context.apart(*row) for row in rows):
            return ()
    with jax.disable_jit():
        anew, before = context.run(context.key(1)).times(), context.draw.times()
    if any(many > max(1, before[name]) for name, many in anew.items()):
        return ("straight-walk",)  # what stood in a loop is now met at each step
    sites = [*context.draw.sites, *context.draw.hidden]
    traced = any(site.traced == "DynamicJaxprTracer" for site in sites)
    return ("jitted-draw-keeps-seed",) if traced or anew.keys() - before.keys() else STALE


def compare(
    context: Context, one: tuple[dict, Any], other: tuple[dict, Any],
    second: str, cases: tuple[str, ...],
) -> None:  # fmt: skip
    """Add a finding for what two ways of running give differently, the densities first."""
    first, kind = "as it is called", "stale-program" if cases else "jit-differs"
    for name, here in one[0].items():
        found = context.apart(name, here, other[0][name]) if name in other[0] else None
        if not found:
            continue
        says = found.says(first, second)
        if not found.finite():
            says += "; a number is too large or too small on the way, and XLA may avoid it"
            if not any((hint.id, hint.site) == ("overflow", name) for hint in context.hints):
                context.hint("overflow", says, name)
            continue
        context.find(kind, says, name, cases)
        return
    for key, value in one[1].items():
        wanted = other[1].get(key)
        if wanted is not None and not same(value, wanted):
            name, _ = key
            what = "it is" if name else "the model returns"
            says = f"{what} {show(value)} {first}, and {show(wanted)} {second}"
            context.find(kind, says, name, cases)
            return
