"""Variations of *A read changes the structure of an Equinox module*: the growth of each step."""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tools.variations import vary

RAIN = np.float32([1, 2, 3])


class Plot(eqx.Module):
    width: jax.Array
    length: jax.Array

    @functools.cached_property
    def area(self):
        return self.width * self.length


class Steady(Plot):
    area = property(lambda self: self.width * self.length)


def made(kind, read=False):
    plot = kind(jnp.float32(2.0), jnp.float32(5.0))
    if read:
        plot.area  # noqa: B018
    return plot


def scanned(kind, step=lambda plot: plot, read=False):
    def grow(plot, rain):
        growth = rain * plot.area  # the read comes first
        return step(plot), growth

    return lax.scan(grow, made(kind, read), RAIN)[1]


def wider(plot):
    return eqx.tree_at(lambda plot: plot.width, plot, plot.width + 1.0)


def new(plot):
    return type(plot)(plot.width + 1.0, plot.length)


def copied(kind):
    """Read a copy, and return the module itself."""
    area = lambda plot: jax.tree.map(lambda leaf: leaf, plot).area
    return lax.scan(lambda plot, rain: (plot, rain * area(plot)), made(kind), RAIN)[1]


def looped(kind):
    step = lambda _, state: (state[0], state[1] + state[0].area)
    return lax.fori_loop(0, 3, step, (made(kind), 0.0))[1]


def added(kind):
    """The leaves of a module that was read, and of one that was not."""
    return jax.tree.map(jnp.add, made(kind, True), made(kind)).width


def traces(kind):
    count = []
    area = eqx.filter_jit(lambda plot: count.append(plot) or plot.area)
    area(made(kind, True)), area(made(kind))
    return len(count)


def equal(kind):
    return eqx.tree_equal(made(kind, True), made(kind))


def three(run, exact=10.0 * RAIN, cure=None):
    return lambda: run(Plot), exact, cure or (lambda: run(Steady))


RIGHT = ("right", "holds")  # Equinox 0.11.4 looks at the fields only
vary("scan", "TypeError", "holds", then=RIGHT)(lambda: three(scanned))
vary("fori_loop", "TypeError", "holds", then=RIGHT)(lambda: three(looped, 30.0))
vary("tree.map of two", "ValueError", "holds", then=RIGHT)(lambda: three(added, 4.0))
vary("filter_jit counts its traces", "silent", "holds", then=RIGHT)(lambda: three(traces, 1))
vary("tree_equal", "silent", "holds", then=RIGHT)(lambda: three(equal, True))
vary("the cure reads a copy", "TypeError", "holds", then=RIGHT)(
    lambda: three(scanned, cure=lambda: copied(Plot))
)
vary("looks right: read before the loop", "TypeError", "holds", then=RIGHT)(
    lambda: three(scanned, cure=lambda: scanned(Plot, read=True))
)
vary("read before, and the step makes a new module", "right", "TypeError", then=RIGHT)(
    lambda: three(
        lambda kind: scanned(kind, new), RAIN * [10, 15, 20], lambda: scanned(Plot, new, True)
    )
)
vary("read before, and tree_at in the step", "TypeError", "holds", then=RIGHT)(
    lambda: three(
        lambda kind: scanned(kind, wider), RAIN * [10, 15, 20], lambda: scanned(Plot, wider, True)
    )
)
