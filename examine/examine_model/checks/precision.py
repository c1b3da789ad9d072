"""Compare the model in 32 bits with the same model in 64, at prior draws and at the optimum."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import jax
import numpy as np

from .. import comparing, programs, running
from ..context import DRAWS, CannotRun, Context, NothingToCompare
from ..wide import Wide

NATS = 0.5
"""By how much a log density may be wrong before inference notices."""
STEP = 1.0
"""How far apart the numbers of 32 bits may be where a density is: from 8 million on it is this."""
FAR = 1_000.0
"""So many nats below the optimum is where inference does not stay."""
ENDS = "it comes from a loop that ends by a condition: see what a smaller tolerance changes"
"""What is said where the number of steps is not the same either."""


@dataclass
class Place:
    """Some draws, and their log densities by site, each along the first axis.

    Attributes:
        values: what the sites take.
        here: the log densities with 32 bits; there: with 64; moved: with 64, slightly beside.
        where: what the place is called, or "" for the prior draws.
    """

    values: dict
    here: dict
    there: dict
    moved: dict
    where: str = ""

    def apart(self, names: Iterable[str]) -> dict[str, list[comparing.Apart | None]]:
        """Return by site where log densities in 32 bits lose something, at each draw."""
        by_name = {}
        for name in names:
            rows = np.asarray(self.here[name]), self.there[name], self.moved[name]
            by_name[name] = [lossy(*draws) for draws in zip(*rows, strict=True)]
        return by_name

    def heights(self) -> np.ndarray:
        """Return the log density of each draw with 64 bits."""
        rows = self.there.values()
        return np.sum([each.reshape(len(each), -1).sum(1) for each in rows], axis=0)


def check(context: Context) -> None:
    """Compute log densities again with 64 bits: of some prior draws, and at the optimum.

    What the same change makes in 64 bits that rounding makes in 32 is no fault of the formula. A
    number too large or too small for 32 bits is a hint at a prior draw, since that may lie far out;
    so is a wrong one at draws far below the optimum, if the two agree there.
    So is what a loop gives that ends by a condition, as a solver's at its tolerance: rounding
    decides how many steps it takes, and its own error may be larger.

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
    model = context.wide
    place = at_the_prior(context, model)
    differences = place.apart(context.names)
    wrong = {
        draw for rows in differences.values() for draw, apart in enumerate(rows) if is_wrong(apart)
    }
    top, far = at_the_optimum(context, model), False
    lost = top.apart(context.names) if top else {}
    if top and wrong and not any(map(any, lost.values())):
        far = bool(place.heights()[[*wrong]].max() < top.heights()[0] - FAR)
    elif top and not wrong and any(map(any, lost.values())):
        place, differences = top, lost
    if not any(map(any, differences.values())):
        coarse(context, top)
        return
    if any(finding.check == "jit" for finding in context.findings):
        raise NothingToCompare("`jit` says that the model gives another log density anew")
    if context.noise is None or out_of_date(context):
        raise CannotRun("the model gives another log density when it is traced anew")
    reals, draws = [], (np.arange(len(next(iter(differences.values())))), place.values)
    for given in as_real((context.args, context.kwargs)):
        with contextlib.suppress(Exception):  # whole numbers that have to be whole, as an index
            here = running.quick(at_draws(context, given), *draws)
            reals.append(replace(place, here=here).apart(context.names))
    iterated = context.traced.iterated()
    for name, rows in differences.items():
        by_whole_numbers = any(not any(real[name]) for real in reals)
        compare(context, name, rows, place.where, far, by_whole_numbers, iterated[name])


def at_the_prior(context: Context, model: Wide) -> Place:
    """Return the prior draws."""
    moved = model.rows_at(comparing.shaken(model.drawn))
    return Place(context.draws.values, context.draws.rows, model.rows, moved)


def at_the_optimum(context: Context, model: Wide) -> Place | None:
    """Return the highest point above the prior draws, in 32 bits, or None."""
    best = model.optimum()
    if best is None:
        return None
    kinds = jax.tree.map(np.asarray, context.draws.values)
    values = jax.tree.map(lambda value, kind: np.asarray(value, kind.dtype)[None], best, kinds)
    every = jax.tree.map(lambda value: np.repeat(value, DRAWS, axis=0), values)
    here = {name: np.asarray(rows)[:1] for name, rows in context.draws.rows_at(every).items()}
    wide = programs.widened(values)
    there, moved = model.rows_at(wide), model.rows_at(comparing.shaken(wide))
    return Place(values, here, there, moved, "at the optimum")


def coarse(context: Context, top: Place | None) -> None:
    """Find a log density so large that 32 bits have none between it and the next unit.

    Its rows may each be right to seven digits; a sampler moves by differences of their sum.
    """
    for name, rows in (top.there if top else {}).items():
        total = abs(float(np.sum(rows)))
        step = float(np.spacing(np.float32(total)))
        if np.isfinite(step) and step >= STEP:
            says = (
                f"at the optimum its log density is {total:.4g} in size, where the numbers of 32 "
                f"bits are {step:g} apart: differences of one are lost"
            )
            context.find("float32", says, name, ["float32-likelihood"])


def out_of_date(context: Context) -> bool:
    """Tell whether a program that was compiled before gives another density than a new one."""
    anew = context.ways.anew or {}
    return any(context.apart(name, context.ways.called[name], rows) for name, rows in anew.items())


def as_real(given: Any) -> Iterator[Any]:
    """Yield arguments in which the whole numbers of one array are real ones, array by array."""
    leaves, tree = jax.tree.flatten(given)
    for place, leaf in enumerate(leaves):
        if hasattr(leaf, "dtype") and jax.dtypes.issubdtype(leaf.dtype, np.signedinteger):
            changed = [*leaves]
            changed[place] = np.float32(leaf)
            yield jax.tree.unflatten(tree, changed)


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
    key, measured = context.key(1), context.measuring(given)
    return lambda *draws: jax.lax.map(lambda draw: measured(key, draw[1]).rows, draws)


def lossy(here: Any, there: Any, moved: Any) -> comparing.Apart | None:
    """Return where 32 bits lose more than rounding of the inputs explains.

    What has no probability gets the smallest of each type from NumPyro, and is left out.
    """
    if not np.isfinite(there).all():
        return None
    least = [np.log(float(np.finfo(kind).tiny)) for kind in (np.float32, np.float64)]
    clamped = (np.abs(here - least[0]) < 0.01) & (np.abs(there - least[1]) < 0.01)
    here = np.where(clamped, there, here)
    apart = comparing.apart(here, there, noise=comparing.rounding(there, moved))
    if apart is None or not apart.finite():
        return apart
    largest = np.abs(apart.here - apart.there).max()
    return apart if max(largest, abs(apart.gap())) > NATS else None


def is_wrong(apart: comparing.Apart | None) -> bool:
    """Tell whether 32 bits give a number that is wrong, and not one that is out of their reach."""
    if apart is None:
        return False
    return apart.finite() or bool(np.isposinf(apart.here).any())


def compare(
    context: Context, name: str, differences: list[comparing.Apart | None], where: str,
    far: bool, by_whole_numbers: bool, iterated: bool,
) -> None:  # fmt: skip
    """Add what was found for one site in some draws; `far` from an optimum where nothing is."""
    apart = [each for each in differences if each]
    wrong = [each for each in apart if is_wrong(each)]
    most = 2 * sum(bool(np.isnan(each.here).any()) for each in apart) >= len(differences)
    for rows, tell, case in (
        (wrong, context.hint if far else context.find, "float32-likelihood"),
        (apart, context.find if where or most else context.hint, "divergences-unsaid"),
    ):
        cases = ["seconds-since-1970"] if rounded_together((context.args, context.kwargs)) else []
        if rows:
            worst = max(rows, key=lambda each: np.nan_to_num(abs(each.gap())))
            where = where or f"in {len(rows)} of {len(differences)} prior draws"
            says = f"{where} {worst.says('with 32 bits', 'with 64')}"
            if by_whole_numbers:
                says += "; it is whole numbers that need the 64, among the arguments"
                context.find("int32", says, name, ["int32-sum"])
            elif iterated:
                says += f"; {ENDS}"
                context.hint("float32", says, name, [*cases, case])
            else:
                says += "; the two agree at the optimum, which is far from there" * far
                tell("float32", says, name, [*cases, case])
            return
