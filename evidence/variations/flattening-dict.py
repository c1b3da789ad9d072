"""Variations of *A cached property adds a leaf to your own pytree*: the growth of each step."""

import dataclasses
import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from evidence.variation import vary


@jax.tree_util.register_pytree_node_class
class Plot:
    def __init__(self, width, length):
        self.width, self.length = width, length

    @functools.cached_property
    def area(self):
        return self.width * self.length

    def tree_flatten(self):
        return tuple(vars(self).values()), tuple(vars(self))

    @classmethod
    def tree_unflatten(cls, names, children):
        new = object.__new__(cls)
        vars(new).update(zip(names, children, strict=True))
        return new


@jax.tree_util.register_pytree_node_class
class Named(Plot):
    def tree_flatten(self):
        return (self.width, self.length), ("width", "length")


@jax.tree_util.register_pytree_node_class
class Uncached(Plot):
    area = property(lambda self: self.width * self.length)


@functools.partial(
    jax.tree_util.register_dataclass, data_fields=["width", "length"], meta_fields=[]
)
@dataclasses.dataclass
class Registered:
    width: jax.Array
    length: jax.Array
    area = functools.cached_property(lambda self: self.width * self.length)


Registered.area.__set_name__(Registered, "area")


class Module(eqx.Module):
    width: jax.Array
    length: jax.Array

    @functools.cached_property
    def area(self):
        return self.width * self.length


RAIN = np.float32([1, 2, 3])


def scanned(kind, rain=RAIN):
    return lax.scan(lambda plot, rain: (plot, rain * plot.area), kind(2.0, 5.0), rain)[1]


def looped(kind):
    def step(state):
        plot, total = state
        return plot, total + plot.area

    return lax.while_loop(lambda state: state[1] < 25.0, step, (kind(2.0, 5.0), 0.0))[1]


def fori(kind):
    step = lambda _, state: (state[0], state[1] + state[0].area)
    return lax.fori_loop(0, 3, step, (kind(2.0, 5.0), 0.0))[1]


def branches(kind):
    read = lambda plot: (plot, plot.area)
    return lax.cond(True, read, lambda plot: (plot, 0.0), kind(2.0, 5.0))[1]


def added(kind):
    """The leaves of a plot that was read, and of one that was not."""
    one, other = kind(2.0, 5.0), kind(1.0, 1.0)
    one.area  # noqa: B018
    return jax.tree.map(jnp.add, one, other).width


def jitted(kind):
    return jax.jit(lambda plot, rain: (plot, rain * plot.area))(kind(2.0, 5.0), RAIN)[1]


def wider(kind, read=False):
    """Each step makes the plot a meter wider in place."""

    def step(plot, rain):
        growth = rain * plot.area
        plot.width = plot.width + 1.0
        return plot, growth

    plot = kind(2.0, 5.0)
    if read:
        plot.area  # noqa: B018
    return lax.scan(step, plot, RAIN)[1]


def three(run, exact=10.0 * RAIN, cured=Registered):
    return lambda: run(Plot), exact, lambda: run(cured)


vary("scan", "TypeError", "holds")(lambda: three(scanned))
vary("scan over one step", "TypeError", "holds")(
    lambda: three(lambda kind: scanned(kind, RAIN[:1]), [10.0])
)
vary("while_loop", "TypeError", "holds")(lambda: three(looped, 30.0))
vary("fori_loop", "TypeError", "holds")(lambda: three(fori, 30.0))
vary("cond", "TypeError", "holds")(lambda: three(branches, 10.0))
vary("tree.map of two", "ValueError", "holds")(lambda: three(added, 3.0))
vary("jit", "right", "holds")(lambda: three(jitted))
vary("the cure names the children", "TypeError", "holds")(lambda: three(scanned, cured=Named))
vary("the cure is a property without cache", "TypeError", "holds")(
    lambda: three(scanned, cured=Uncached)
)
vary("looks right: a module of Equinox", "TypeError", "TypeError", then=("TypeError", "holds"))(
    lambda: three(scanned, cured=Module)
)
vary("read before a step that changes the width", "silent", "holds")(
    lambda: three(lambda kind: wider(kind, True), RAIN * [10, 15, 20], Uncached)
)


@vary("a memo by hand, while_loop under jit, a name", "TypeError", "holds")
def _():
    class Box:
        def __init__(self, side, name):
            self.side, self.name = side, name

        def volume(self):
            self._volume = getattr(self, "_volume", self.side**3)
            return self._volume

    def flatten(box):
        held = {key: value for key, value in vars(box).items() if key != "name"}
        return list(held.values()), (box.name, *held)

    def unflatten(aux, children):
        box = Box(None, aux[0])
        vars(box).update(zip(aux[1:], children, strict=True))
        return box

    jax.tree_util.register_pytree_node(Box, flatten, unflatten)

    class Named(Box):
        pass

    jax.tree_util.register_dataclass(Named, data_fields=["side"], meta_fields=["name"])

    @jax.jit
    def grow(box):
        def body(state):
            box, n = state
            n = n + 0 * box.volume() + 1.0
            return box, n

        return jax.lax.while_loop(lambda state: state[1] < 5, body, (box, 0.0))[1]

    return lambda: grow(Box(2.0, "a")), 5.0, lambda: grow(Named(2.0, "a"))


@vary("a sorted dict with paths, fori_loop in vmap", "TypeError", "holds")
def _():
    class Ring:
        def __init__(self, inner, outer):
            self.inner, self.outer = inner, outer

        @functools.cached_property
        def area(self):
            return np.pi * (self.outer**2 - self.inner**2)

        def tree_flatten(self):
            names = sorted(vars(self))
            return [vars(self)[name] for name in names], tuple(names)

        @classmethod
        def tree_unflatten(cls, names, children):
            ring = object.__new__(cls)
            ring.__dict__ = dict(zip(names, children, strict=True))
            return ring

    class Steady(Ring):
        def tree_flatten(self):
            return (self.inner, self.outer), ("inner", "outer")

    for cls in (Ring, Steady):
        jax.tree_util.register_pytree_node_class(cls)

    def total(cls):
        def one(outer):
            add = lambda _, state: (state[0], state[1] + state[0].area)
            return jax.lax.fori_loop(0, 2, add, (cls(0.0, outer), 0.0))[1]

        return jax.vmap(one)(jnp.array([1.0, 2.0]))

    return lambda: total(Ring), [2 * np.pi, 8 * np.pi], lambda: total(Steady)
