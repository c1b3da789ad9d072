"""Permute the rows of the data, leave one out, have one or all there twice, and see what that does.

It is part of the check `likelihood`. Rows of a model with a loop, or of one that changes when all
of its data are permuted, have an order; nothing is said of these.

Data that are shifted or in another unit are not tried: with a prior they are another model.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import numpy as np

from .. import running
from ..comparing import apart, density, is_real
from ..context import CannotRun, Context
from ..programs import Recorded, of_constants
from ..running import Site

FEW, MANY = 4, 6
"""The fewest rows, and the most arrays, that are looked at."""
EXACT = 1e-5
"""The part of a log density by which the order of a sum may change it."""
CLEAR = 20
"""So many times that is more than rounding."""


def check(context: Context) -> bool:
    """Look at the sites that observe something, and at the factors, of a model without a loop.

    Return whether there are rows to look at.
    """
    sites = context.draw.samples()
    chosen = any(site.subsample and np.size(site.value) < site.size for site in context.draw.sites)
    names = [name for name in context.names if sites[name].observed and not sites[name].traced]
    if not names or chosen or context.draw.loops:
        return False
    with contextlib.suppress(CannotRun, Refused):
        data = Data(context)
        if context.traced.loops or not data.by_rows:
            return False
        for name in names:
            if not sites[name].has_data:
                _ = every_pair(context, data, name) or counts_as_one(context, data, name)
        of_other_rows(context, data, names)
        return True
    return False


class Refused(Exception):
    """The model does not take such data."""


class Data:
    """What a model is given or holds, by the number of its rows.

    Attributes:
        before: the sites of a run on the data as they are.
    """

    def __init__(self, context: Context) -> None:
        self.context, self.before = context, context.back.samples()
        held = [entry[1] for entry in context.held.noted.values()]
        parts = [[*each.values()] if isinstance(each, dict) else each for each in held
                 if isinstance(each, (dict, list))]  # fmt: skip
        every = jax.tree.leaves((context.args, context.kwargs))
        every += [thing for part in parts for thing in part]
        self.by_rows: dict[int, list[Any]] = {}
        for thing in {id(each): each for each in every if is_data(each)}.values():
            self.by_rows.setdefault(len(thing), []).append(thing)

    def again(self, *changes: tuple[list[Any], np.ndarray], values: Any = None) -> dict[str, Site]:
        """Return the sites of a run in which some things have other rows.

        Raises:
            Refused: the model does not take them.
        """
        held, key = self.context.held, self.context.key(1)
        change = taking(changes)
        values = self.context.values if values is None else values
        try:
            with held.replaced(change):
                model, args, kwargs = self.context.given_changed(change)
                return running.run(model, args, kwargs, key, values).samples()
        except Exception as error:
            raise Refused from error

    def met(self, *changes: tuple[list[Any], np.ndarray]) -> list[np.ndarray]:
        """Return what the latents meet of the data where some things have other rows.

        Raises:
            Refused: the model does not take them, or JAX has no such program.
        """
        given, change = (self.context.key(1), self.context.values), taking(changes)
        try:
            with self.context.held.replaced(change):
                measured = self.context.measuring_changed(change)
                program = Recorded(lambda *at: measured(*at).rows, *given)
            return [*map(np.asarray, of_constants(program, *given))]
        except Exception as error:
            raise Refused from error


def taking(changes: tuple[tuple[list[Any], np.ndarray], ...]) -> Callable[[Any], Any]:
    """Return what puts other rows of some things in their place."""
    new = {id(thing): taken(thing, index) for things, index in changes for thing in things}
    return lambda thing: new.get(id(thing), thing)


def is_data(thing: Any) -> bool:
    """Tell whether a thing has rows: an array of numbers, or a table of pandas."""
    if isinstance(thing, (np.ndarray, jax.Array)):
        return np.ndim(thing) > 0 and len(thing) >= FEW and is_real(thing)
    return hasattr(thing, "iloc") and len(thing) >= FEW


def taken(thing: Any, index: np.ndarray) -> Any:
    """Return some rows of a thing."""
    if hasattr(thing, "iloc"):
        return thing.iloc[index]
    rows = np.asarray(thing)[index]
    return jax.numpy.asarray(rows) if isinstance(thing, jax.Array) else rows


def instead(rows: int, *left_out: int) -> np.ndarray:
    """Return the numbers of the rows where one in the middle is there in the place of some."""
    index = np.arange(rows)
    index[list(left_out)] = rows // 2
    return index


def mixed(rows: int) -> np.ndarray:
    """Return the numbers of the rows in another order."""
    return np.random.default_rng(0).permutation(rows)


def total(sites: dict[str, Site], name: str) -> float:
    """Return the log density of a site, or that of no run if it is not there."""
    return float(density(sites[name]).sum()) if name in sites else np.nan


def every_pair(context: Context, data: Data, name: str) -> bool:
    """Find a factor in which each row of one array meets each of another as long.

    Its sum is the same when one of the two is permuted alone, so it does not matter which rows
    belong together; yet the even rows of one and the odd rows of the other do not add up, as those
    of two samples do. In one array, the even and the odd rows do: it is a sum of one term a pair.
    """

    def sums(*changes: tuple[list[Any], np.ndarray]) -> float:
        return total(data.again(*changes), name)

    before = total(data.before, name)
    exact = EXACT * max(1.0, abs(before))
    for rows, things in data.by_rows.items():
        if not 1 < len(things) <= MANY:
            continue
        loose = [[thing] for thing in things if abs(sums(([thing], mixed(rows))) - before) < exact]
        halves = range(0, rows, 2), range(1, rows, 2), range(rows)
        first, second, both = (instead(rows, *half) for half in halves)
        additive = []
        for group in loose if len(loose) > 1 else []:
            alone = [sums((group, index)) - before for index in (first, second, both)]
            if abs(alone[0]) > CLEAR * exact and abs(alone[0] + alone[1] - alone[2]) < 4 * exact:
                additive.append((group, alone))
        for at, (group, alone) in enumerate(additive):
            for other, there in additive[:at]:
                together = sums((group, first), (other, second)) - before
                if abs(together - alone[0] - there[1]) > CLEAR * exact:
                    shapes = " and ".join(str(np.shape(each[0])) for each in (other, group))
                    says = (
                        f"it stays {before:.5g} when one of two arrays, of the shapes {shapes}, "
                        f"is permuted and the other is not, so it is a sum over all "
                        f"{rows**2:,} pairs of their rows: each counts {rows:,} times"
                    )
                    context.find("broadcast", says, name, ["column-against-row"])
                    return True
    return False


def counts_as_one(context: Context, data: Data, name: str) -> bool:
    """Hint at a factor that is the same where all rows are there twice: it is their mean."""
    before = total(data.before, name)
    exact = EXACT * max(1.0, abs(before))
    for rows, things in data.by_rows.items():
        if any(rows in np.shape(value) for value in context.values.values()):
            continue
        each = np.tile(np.arange(rows), 2)
        without_first = total(data.again((things, instead(rows, 0))), name)
        if abs(without_first - before) < CLEAR * exact:
            continue
        try:
            twice = total(data.again((things, each)), name)
        except Refused:
            continue
        if abs(twice - before) < exact:
            says = (
                f"it stays {before:.5g} when each of the {rows:,} rows of the data is there twice: "
                "it is a mean over them, so all together count as one"
            )
            context.hint("mean-of-rows", says, name)
            return True
    return False


def of_other_rows(context: Context, data: Data, names: list[str]) -> None:
    """Hint at a site where the log density of one row depends on the data of another.

    One row is left out, and another is there twice in its place. What the rows have in common
    before a latent comes into it, such as the mean of a column, is meant.
    """
    sites_without: dict[int, dict[str, Site]] = {}
    for name in names:
        site = data.before[name]
        shape = jax.eval_shape(partial(density, site)).shape
        for rows, things in data.by_rows.items():
            if shape.count(rows) != 1 or any(finding.site == name for finding in context.findings):
                continue
            if rows not in sites_without:
                sites_without[rows] = data.again((things, instead(rows, 0)))
            other, axis = sites_without[rows].get(name, site), shape.index(rows)
            if only_first(numbers_of(site), numbers_of(other), rows):
                continue
            pair = [
                np.take(np.asarray(density(each)), np.arange(1, rows), axis)
                for each in (site, other)
            ]
            if not apart(pair[0], pair[1]) or not exchangeable(context, data, name, axis, rows):
                continue
            if not only_first(data.met(), data.met((things, instead(rows, 0))), rows):
                continue
            says = (
                f"what one of its {rows:,} rows adds to the log density depends on the data of "
                "the others, and their order does not matter: a mean, a sum or a `softmax` goes "
                "over the rows"
            )
            context.hint("other-rows", says, name)
            return


def numbers_of(site: Site) -> list[np.ndarray]:
    """Return the numbers on which the log density of a site depends."""
    return [*map(np.asarray, jax.tree.leaves((site.fn, site.value, site.scale)))]


def only_first(here: list[np.ndarray], there: list[np.ndarray], rows: int) -> bool:
    """Tell whether arrays differ in their first row only, along an axis of so many rows."""
    if [each.shape for each in here] != [each.shape for each in there]:
        return False
    for left, right in zip(here, there, strict=True):
        moved = np.argwhere(~((left == right) | ((left != left) & (right != right))))
        own = [axis for axis, length in enumerate(left.shape) if length == rows]
        if moved.size and not any((moved[:, axis] == 0).all() for axis in own):
            return False
    return True


def exchangeable(context: Context, data: Data, name: str, axis: int, rows: int) -> bool:
    """Tell whether the log densities of the rows are in another order where all data are."""
    order, plates = mixed(rows), {site.name for site in context.draw.sites if site.subsample}
    values = {
        site: np.take(np.asarray(value), order, np.shape(value).index(rows))
        if site not in plates and np.shape(value).count(rows) == 1 else value
        for site, value in context.values.items()
    }  # fmt: skip
    there = data.again((data.by_rows[rows], order), values=values)
    before = np.take(np.asarray(density(data.before[name])), order, axis)
    return name in there and not apart(before, density(there[name]))
