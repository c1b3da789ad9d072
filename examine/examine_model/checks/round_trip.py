"""Draw, hand the values back, and see whether the model takes them."""

from __future__ import annotations

import contextlib
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .. import running
from ..comparing import same, show
from ..context import DRAWS, CannotRun, Context, NothingToCompare

SEVERAL = 2
"""Draws in which a gradient has to be NaN with 64 bits: at one alone there may be a kink."""


def check(context: Context) -> None:
    """Hand the values of one draw back under another key.

    Every site must take its value, every density must come out again, and a density must be the
    same with and without what the draw kept on its way (`intermediates`), as guides compute it.

    Raises:
        NothingToCompare: nothing is drawn that could be handed back.
        CannotRun: no draw has a finite density, so that no gradient is looked at.
    """
    wanted = any(site.intervened is not None for site in context.draw.sites)
    if not (context.values or wanted):
        raise NothingToCompare("the model has no latent site")
    takes_values(context)
    same_density(context)
    same_with_intermediates(context)
    gradient_arrives(context)


def takes_values(context: Context) -> None:
    """Find the sites that do not take the value that they are given."""
    back = context.back.samples()
    for name, site in context.draw.samples().items():
        if site.intervened is not None and not same(site.value, site.intervened, 1e-6):
            wanted, used = show(site.intervened), show(site.value)
            says = f"`do` sets it to {wanted}, and the loop used {used}"
            context.find("do-not-taken", says, name, ["do-around-scan"])
        if name not in context.values:
            continue
        if name not in back:
            continue  # another branch of a program that decides by what it draws
        given, taken = context.values[name], back[name].value
        if np.shape(given) == np.shape(taken) and not same(given, taken, 1e-6):
            says = f"it is handed {show(given)} and uses {show(taken)}"
            cases = [cause(given, taken)] if back[name].looped else []
            context.find("value-not-taken", says, name, cases)


def cause(given, taken) -> str:
    """Return the case of a loop that does not take what it is given."""
    first = np.asarray(given)
    turned = first.ndim > 0 and same(first[::-1], taken, 1e-6)
    return "reverse-scan" if turned else "scope-around-scan"


def same_density(context: Context) -> None:
    """Find the sites whose density is another for the same values."""
    if context.draw.keys_asked or any(
        finding.check == context.check for finding in context.findings
    ):
        return  # the model draws more than its sites, so another key is another density
    if loop_draws_what_it_observes(context):
        return
    for name, before in context.ways.drawn.items():
        apart = context.apart(name, before, context.ways.called[name])
        if apart:
            says = apart.says("where the values were drawn", "where the same values are handed in")
            context.find("density-not-repeated", says, name)
            return


def loop_draws_what_it_observes(context: Context) -> bool:
    """Return whether a loop has data for its first steps only, so another key gives other rows."""
    back = context.back.samples()
    observed = {
        name: site for name, site in context.draw.samples().items()
        if site.looped and name in back and name not in context.values
    }  # fmt: skip
    return any(not same(site.value, back[name].value) for name, site in observed.items())


def same_with_intermediates(context: Context) -> None:
    """Find the densities that depend on how the value was drawn; one that raises is a hint."""
    sites = {
        name: site for name, site in context.draw.samples().items()
        if site.latent and site.intermediates and not site.looped
    }  # fmt: skip

    def both(site: running.Site) -> Any:
        return site.fn.log_prob(site.value), site.fn.log_prob(site.value, site.intermediates)

    for name, site in list(sites.items()):
        try:
            jax.eval_shape(partial(both, site))
        except TypeError as error:
            says = (
                f"where it is drawn and its density is taken in one run, as in a guide by hand, it "
                f"raises {running.brief(error)}; NUTS and the guides of `autoguide` do not do that"
            )
            context.hint("needs-intermediates", says, name, ["folded-without-intermediates"])
            del sites[name]
    if not sites:
        return
    densities = running.quick(lambda: {name: both(site) for name, site in sites.items()})
    for name in sites:
        apart = context.apart(name, *densities[name])
        if apart:
            context.find("density-of-a-draw", apart.says("", "for a guide"), name)


def gradient_arrives(context: Context) -> None:
    """Find latents by which the gradient is no number, and hint at those where it is zero.

    A `where` computes both of its branches, so a gradient may be NaN where the density is not. One
    value alone may be a kink: some distributions draw zeros, only for a sampler to start from.

    Raises:
        CannotRun: no draw has a finite density.
    """
    if any(finding.check == context.check for finding in context.findings):
        return
    with contextlib.suppress(NothingToCompare):
        context.asks_for_a_gradient()
        of_the_draws(context)


def of_the_draws(context: Context) -> None:
    """Do so, where inference asks for a gradient.

    Raises:
        CannotRun: no draw has a finite density.
    """
    draws = context.draws
    whole = np.all([np.isfinite(per_draw(rows)).all(1) for rows in draws.rows.values()], axis=0)
    if not np.any(whole) and draws.slopes:
        raise CannotRun(
            f"no gradient is compared: none of {DRAWS} prior draws has a finite density"
        )
    for name, slope in draws.slopes.items():
        if name not in context.draw.samples() or not np.size(slope):
            continue
        drawn, slope = per_draw(draws.values[name]), per_draw(slope)[whole]
        broken = ~np.isfinite(slope).all(1)
        if broken.any():
            says = (
                f"in {broken.sum()} of {len(slope)} prior draws the log density is finite, and its "
                f"gradient by this site has {show(slope[~np.isfinite(slope)][0])}"
            )
            several = broken.all() or in_64_bits(context, name) >= SEVERAL
            tell = context.find if several and (drawn != drawn[0]).any() else context.hint
            tell("nan-gradient", says, name, ["nan-gradient"])
            return
        if not slope.any():
            without_slope(context, name, int(np.argmax(whole)))


def in_64_bits(context: Context, name: str) -> int:
    """Return at how many draws the density is finite with 64 bits, and the gradient is NaN."""
    try:
        model = context.wide
        slopes_at = [model.slope_at(draw) for draw in range(DRAWS)]
    except CannotRun:
        return 0
    return sum(
        bool(np.isfinite(height) and np.isnan(slopes.get(name, 0.0)).any())
        for height, slopes in slopes_at
    )  # fmt: skip


def per_draw(rows: Any) -> np.ndarray:
    """Return what there is of each draw in one row."""
    return np.asarray(rows).reshape(len(rows), -1)


def without_slope(context: Context, name: str, draw: int) -> None:
    """Hint at a site whose gradient is zero, if the density of a draw changes with it."""
    every = context.draws.values, context.draws.rows
    values, rows = jax.tree.map(lambda leaf: jnp.asarray(leaf[draw]), every)
    moved = {**values, name: values[name] * np.float32(0.99)}
    rows = rows, context.measuring()(context.key(1), moved).rows
    before, after = (sum(float(jnp.sum(each)) for each in part.values()) for part in rows)
    size = sum(float(jnp.sum(jnp.abs(each))) for each in rows[0].values())
    if np.isfinite([before, after]).all() and abs(before - after) > 1e-3 * max(1.0, size):
        says = (
            f"the log density goes from {before:.5g} to {after:.5g} when it shrinks by one "
            "in a hundred, and its gradient is zero"
        )
        own = context.traced.has("custom_vjp")
        case = "custom-vjp-none" if own else "parameter-stored-twice"
        context.hint("zero-gradient", says, name, [case])
