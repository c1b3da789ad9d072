"""Compare the model as it is called, under `jit`, and without any compiled program."""

from __future__ import annotations

import jax

from .. import comparing
from ..context import LARGE, RESULT, CannotRun, Context, NothingToCompare
from ..wide import Wide
from .stale import old_program


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
    if says := differs(context, ways.called, ways.anew or {}, "without compiled programs"):
        if context.noise is None:
            raise CannotRun("the model gives another log density in each run")
        if rounded(context, says[1]):
            text = f"{says[0]}; with 64 bits it is a third number, so 32 are too few for it"
            context.find("jit-differs", text, says[1], ["float32-likelihood"])
        else:
            more, cases = stale(context)
            context.find("stale-program", says[0] + more, says[1], cases)
    elif says := differs(context, ways.called, ways.under_jit, "under `jit`"):
        context.find("jit-differs", *says)
    if ways.anew is None:
        raise CannotRun(ways.why)


def rounded(context: Context, name: str) -> bool:
    """Tell whether 64 bits give a third density: then 32 are too few, and no program is old."""
    if context.noise is None or context.own_draws or jax.config.jax_enable_x64:
        return False
    try:
        wide = Wide(context).rows
    except CannotRun:
        return False
    ways = context.ways.called, context.ways.anew or {}
    return name in wide and all(comparing.apart(each[name], wide[name][0]) for each in ways)


def stale(context: Context) -> tuple[str, list[str]]:
    """Return whose program is out of date, and the cases that fit it.

    None is named where the model compiled here gives the other number too, with data of a size at
    which compilers have been wrong: then the program that was compiled before need not be old.
    """
    ways = context.ways
    if context.largest > LARGE and ways.anew:
        pairs = [(name, ways.under_jit[name], fresh) for name, fresh in ways.anew.items()]
        if not any(context.apart(*pair) for pair in pairs):
            return "", []
    with jax.disable_jit():
        anew, before = context.run(context.key(1)).times(), context.draw.times()
    if any(many > max(1, before[name]) for name, many in anew.items()):
        return "", ["straight-walk"]  # what stood in a loop is now met at each step
    sites = [*context.draw.sites, *context.draw.hidden]
    traced = any(site.traced == "DynamicJaxprTracer" for site in sites)
    if traced or anew.keys() - before.keys():
        return "", ["jitted-draw-keeps-seed"]
    return old_program(context.held, context.changed_by, ways.anew or {})


def differs(context: Context, numbers: dict, other: dict, second: str) -> tuple[str, str] | None:
    """Return what two ways of running give differently, and of which site; the densities first."""
    first = "as it is called"
    for name in sorted(numbers, key=lambda name: name not in context.names):
        apart = context.apart(name, numbers[name], other[name]) if name in other else None
        if not apart:
            continue
        what, site = "", name
        if name.startswith(RESULT):
            what, site = RESULT, ""
        elif name not in context.names:
            what = "it is"
        says = apart.says(first, second, what)
        if apart.finite():
            return says, site
        says += "; a number is too large or too small on the way, and XLA may avoid it"
        if not any((hint.id, hint.site) == ("overflow", site) for hint in context.hints):
            context.hint("overflow", says, site)
    return None
