"""Variations of *A read changes the structure of an Equinox module*: the growth of each step."""

import functools
import re

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from evidence.variation import vary

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


@vary(
    "a method's read in a while_loop under filter_jit",
    "TypeError",
    "holds",
    then=("right", "holds"),
)
def _():
    class Cached(eqx.Module):
        side: jax.Array

        @functools.cached_property
        def area(self):
            return self.side @ self.side

        def water(self, rain):
            return rain * self.area

    class Plain(Cached):
        @property
        def area(self):
            return self.side @ self.side

    @eqx.filter_jit
    def days(plot, rain):
        step = lambda state: (state[0], state[1] + state[0].water(rain))
        return lax.while_loop(lambda state: state[1] < 100.0, step, (plot, 0.0))[1]

    side = jnp.array([1.0, 2.0])
    return lambda: days(Cached(side), 3.0), 105.0, lambda: days(Plain(side), 3.0)


@vary(
    "one branch of a cond reads, by functools.partial",
    "TypeError",
    "holds",
    then=("right", "holds"),
)
def _():
    class Cached(eqx.Module):
        width: jax.Array

        @functools.cached_property
        def area(self):
            return self.width**2

    class Plain(eqx.Module):
        width: jax.Array

        @property
        def area(self):
            return self.width**2

    def read(plot, rain):
        return plot, plot.area * rain

    def run(plot):
        reads = functools.partial(read, rain=2.0)
        return lax.cond(plot.width > 0, reads, lambda plot: (plot, 0.0), plot)[1]

    return lambda: run(Cached(jnp.array(3.0))), 18.0, lambda: run(Plain(jnp.array(3.0)))


@vary("two reads under jit: the products left", "TypeError", "holds", then=("right", "holds"))
def _():
    class Cached(eqx.Module):
        matrix: jax.Array

        @functools.cached_property
        def gram(self):
            return self.matrix @ self.matrix

    class Plain(eqx.Module):
        matrix: jax.Array

        @property
        def gram(self):
            return self.matrix @ self.matrix

    def step(plot, x):
        return plot, plot.gram + x * plot.gram

    def products(plot):
        text = jax.jit(lambda plot: lax.scan(step, plot, jnp.ones(3))[1]).lower(plot).compile()
        return len(re.findall(r" dot\(|__onednn\$matmul|custom-call\(", text.as_text()))

    matrix = jnp.ones((4, 4))
    return lambda: products(Cached(matrix)), 1, lambda: products(Plain(matrix))
