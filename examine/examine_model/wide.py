"""A model in 64 bits, and the way from a prior draw to where inference lives."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpyro.distributions import biject_to

from . import programs, running
from .climb import climb
from .context import DRAWS, CannotRun, Context, refused, supported
from .held import copied

LEAST = float(np.finfo(np.float32).tiny)
"""What 32 bits take for zero; a gamma distribution may have its optimum there."""
REACH = 4.0
"""How far beyond the prior draws a climb goes: so many times the range that they span."""


def ways_of(context: Context) -> dict[str, Any]:
    """Return the ways from unconstrained space to the values of each site along which to climb.

    These are the continuous latents. There are none where a loop has no gradient, or where one ends
    by a condition: at what rounding makes of its number of steps there is nothing new to see.
    """
    sites, ways = context.draw.samples(), {}
    if any(context.traced.iterated().values()):
        return {}
    for name in context.draws.slopes:
        if name in sites and sites[name].latent:
            with contextlib.suppress(Exception):  # a law with no way to its support
                ways[name] = biject_to(sites[name].fn.support)
    return ways


class Wide:
    """A model in 64 bits: one program of one draw, for its log densities and for their slope.

    Args:
        context: the model.
        whole: give whole numbers among the arguments 64 bits too.
        climbs: compile the slope too.

    Raises:
        CannotRun: the model does not run with 64 bits, or has other sites then.
    """

    def __init__(self, context: Context, whole: bool = False, climbs: bool = False) -> None:
        self.drawn = programs.widened(jax.tree.map(np.asarray, context.draws.values))
        self.ways = ways_of(context) if climbs else {}
        self.checked = [*self.ways, *context.draws.inside]
        given = programs.widened((context.args, context.kwargs), whole)
        self.run_measured = context.measuring(given, copied(context.model))
        self.key, self.names = context.key(1), {*context.names}
        with refused("with 64 bits"):
            self.points = programs.in_64_bits(jax.vmap(self.free), self.drawn) if climbs else {}
            first = row_of(self.drawn, 0), row_of(self.points, 0), np.bool_(False)
            with context.held.copied():
                self.program = programs.compiled_in_64_bits(self.measured, *first)
            self.rows = self.rows_at(self.drawn)

    def free(self, values: dict) -> dict:
        """Return the point of some values in unconstrained space."""
        return {name: way.inv(values[name]) for name, way in self.ways.items()}

    def measured(self, values: dict, point: dict, climbing: Any) -> Any:
        """Return what the model says of one draw, and the slope.

        Where `climbing` is true, the draw is that of a point in unconstrained space. The height is
        the joint log density in that space, as NUTS has it.
        """

        def height(point: dict) -> Any:
            there = {name: way(point[name]) for name, way in self.ways.items()}
            taken = {name: jnp.where(climbing, x, values[name]) for name, x in there.items()}
            run = self.run_measured(self.key, {**values, **taken})
            if not run.rows.keys() >= self.names:  # a name may hold a tracer of this run
                raise CannotRun("with 64 bits the model has other sites")
            outside = [~jnp.asarray(each) for each in self.inside(run)]
            outside += [jnp.abs(each) < LEAST for each in there.values()]
            stretched = [
                way.log_abs_det_jacobian(point[name], there[name])
                for name, way in self.ways.items()
            ]  # fmt: skip
            total = sum(map(jnp.sum, [*run.rows.values(), *stretched]), start=0.0)
            return total, (run.rows, taken, sum(map(jnp.sum, outside), start=0))

        if not self.ways:
            return height({}), {}
        return jax.value_and_grad(height, has_aux=True)(point)

    def inside(self, run: running.Run) -> Iterator[Any]:
        """Yield whether each value lies in its support, where that depends on other values."""
        laws = run.samples()
        for name in self.checked:
            inside, ends = supported(laws[name])
            if any(isinstance(end, jax.core.Tracer) for end in ends):
                yield inside

    def rows_at(self, values: dict) -> dict[str, np.ndarray]:
        """Return the log densities by site of some draws, each along the first axis."""
        number = max((len(rows) for rows in jax.tree.leaves(values)), default=DRAWS)
        given = [row_of(values, draw) for draw in range(number)]
        point = row_of(self.points, 0)
        densities = [self.program(values, point, np.bool_(False))[0][1][0] for values in given]
        return jax.tree.map(lambda *rows: np.stack(rows), *densities)

    def slope_at(self, draw: int) -> tuple[float, dict]:
        """Return the log density at a draw and its gradient, in unconstrained space."""
        given = row_of(self.drawn, draw), row_of(self.points, draw), np.bool_(True)
        (height, _), slopes = self.program(*given)
        return float(height), slopes

    def optimum(self) -> dict | None:
        """Return the values at the highest point that is found, or None.

        The climb begins at the prior draw whose log density is the highest, and stays within some
        ranges of all of them, since a density may have no end where a variance goes to zero. Nor
        does it go where more of the observations or values lie outside of their supports, or are
        too small for 32 bits.
        """
        heights = sum(rows.reshape(DRAWS, -1).sum(1) for rows in self.rows.values())
        leaves, tree = jax.tree.flatten(self.points)
        if not leaves or not np.isfinite(heights).any():
            return None
        best = int(np.nanargmax(np.where(np.isfinite(heights), heights, np.nan)))
        all_draws = np.concatenate([leaf.reshape(DRAWS, -1) for leaf in leaves], axis=1)
        low, high = all_draws.min(0), all_draws.max(0)
        size = np.where(high > low, high - low, 1.0)
        ends = np.cumsum([leaf[0].size for leaf in leaves])[:-1]
        values = row_of(self.drawn, best)

        def computed(point: np.ndarray) -> Any:
            parts = np.split(size * point, ends)
            parts = [part.reshape(leaf.shape[1:]) for part, leaf in zip(parts, leaves, strict=True)]
            return self.program(values, jax.tree.unflatten(tree, parts), np.bool_(True))

        start = all_draws[best] / size
        allowed = computed(start)[0][1][2]

        def slope(point: np.ndarray) -> tuple[float, np.ndarray]:
            (height, (_, _, outside)), slopes = computed(point)
            slopes = np.concatenate([part.ravel() for part in jax.tree.leaves(slopes)])
            return (-np.inf if outside > allowed else height), size * slopes

        reach = REACH * (high - low)
        optimum = climb(slope, start, (low - reach) / size, (high + reach) / size)
        return None if optimum is None else {**values, **computed(optimum)[0][1][1]}


def row_of(tree: Any, number: int) -> Any:
    """Return one draw of several."""
    return jax.tree.map(lambda leaf: np.asarray(leaf)[number], tree)


def in_64_bits(context: Context) -> Wide:
    """Return the model in 64 bits, with as much as it takes.

    Some models want their whole numbers as they are, and some have no slope with 64 bits.
    """
    *richer, plainest = itertools.product((True, False), (True, False))
    for whole, climbs in richer:
        with contextlib.suppress(CannotRun):
            return Wide(context, whole, climbs)
    return Wide(context, *plainest)
