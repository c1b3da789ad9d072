"""Variations of *A pytree whose `tree_unflatten` calls `__init__`*: what comes out, and should."""

import dataclasses
import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from evidence.variation import vary

HOURS = np.linspace(0.0, 1.0, 5)


def checked(self, times, places):
    assert times.shape == places.shape
    self.times, self.places = times, places


def converted(self, times, places):
    self.times, self.places = jnp.asarray(times), jnp.asarray(places)


def computed(self, times, places):
    self.times, self.places = times, 2.0 * places  # miles to kilometers, say


def ordered(self, times, places):
    assert places[0] < places[-1]
    self.times, self.places = times, places


def track(init, steady):
    """A pytree with this `__init__`; `steady`, if it is rebuilt without it."""

    @jax.tree_util.register_pytree_node_class
    class Track:
        def tree_flatten(self):
            return (self.times, self.places), None

        @classmethod
        def tree_unflatten(cls, aux_data, children):
            if not steady:
                return cls(*children)
            new = object.__new__(cls)
            new.times, new.places = children
            return new

    Track.__init__ = init
    return Track(HOURS, HOURS**2)


def three(init, use, expected):
    return lambda: use(track(init, False)), expected, lambda: use(track(init, True))


def length(one):
    return jnp.abs(jnp.diff(one.places)).sum()


def axes(one):
    return jax.tree.map(lambda leaf: 0, one).places


def shapes(one):
    return jax.tree.map(jnp.shape, one).places


def kept(one):
    return eqx.filter(one, lambda leaf: leaf is one.places).times is None


def outline(one):
    return jax.eval_shape(lambda one: one, one).places.shape


def carried(one):
    return length(lax.scan(lambda one, _: (one, None), one, None, length=2)[0])


vary("as on the page", "AttributeError", "holds")(lambda: three(checked, axes, 0))
vary("jit is right, where it checks shapes", "right", "holds")(
    lambda: three(checked, jax.jit(length), 1.0)
)
vary("`eqx.filter`: None", "AttributeError", "holds")(lambda: three(checked, kept, True))
vary("shapes by `tree.map`", "AttributeError", "holds")(lambda: three(checked, shapes, (5,)))
vary("converts, under eval_shape", "TypeError", "holds")(lambda: three(converted, outline, (5,)))
vary("checks values, under jit", "TracerBoolConversionError", "holds")(
    lambda: three(ordered, jax.jit(length), 1.0)
)
vary("computes: twice as long under jit", "silent", "holds")(
    lambda: three(computed, jax.jit(length), 2.0)
)
vary("computes, in a scan", "silent", "holds")(lambda: three(computed, carried, 2.0))
vary("computes, under grad", "silent", "holds")(
    lambda: three(computed, lambda one: jax.grad(lambda one: length(one) ** 2)(one).places[-1], 4.0)
)


def dataclass(register):
    @register
    @dataclasses.dataclass
    class Track:
        places: jax.Array

        def __post_init__(self):
            self.places = 2.0 * self.places

    return Track(HOURS**2)


class Module(eqx.Module):
    places: jax.Array

    def __init__(self, places):
        self.places = 2.0 * places


@vary("`register_dataclass` calls `__post_init__`; a module does not", "silent", "holds")
def registered():
    register = functools.partial(
        jax.tree_util.register_dataclass, data_fields=["places"], meta_fields=[]
    )
    run = jax.jit(length)
    return lambda: run(dataclass(register)), 2.0, lambda: run(Module(HOURS**2))


@vary("a lambda that makes it, and shapes for None", "AttributeError", "holds")
def _():
    class Box:
        def __init__(self, low, high):
            self.low, self.high = low, high
            self.dim = low.shape[0]

    class Plain(Box):
        pass

    def plain(_, children):
        box = object.__new__(Plain)
        box.low, box.high = children
        return box

    flatten = lambda box: ((box.low, box.high), None)
    jax.tree_util.register_pytree_node(Box, flatten, lambda _, children: Box(*children))
    jax.tree_util.register_pytree_node(Plain, flatten, plain)

    def nones(cls):
        empty = jax.tree_util.tree_map(lambda _: None, cls(np.zeros(2), np.ones(2)))
        return len(jax.tree_util.tree_leaves(empty))

    return lambda: nones(Box), 0, lambda: nones(Plain)


@vary("a check of values; a module, in a scan", "ValueError", "holds")
def _():
    @jax.tree_util.register_pytree_node_class
    class Range:
        def __init__(self, low, high):
            if low > high:
                low, high = high, low
            self.low, self.high = low, high

        def tree_flatten(self):
            return [self.low, self.high], ()

        @classmethod
        def tree_unflatten(cls, aux, children):
            return cls(*children)

    class Checked(eqx.Module):
        low: float
        high: float

        def __init__(self, low, high):
            self.low, self.high = (high, low) if low > high else (low, high)

    def width(cls):
        step = lambda total, span: (total + span.high - span.low, None)
        return jax.lax.scan(step, 0.0, jax.tree_util.tree_map(lambda x: x * jnp.ones(2), cls(3, 1)))

    return lambda: width(Range)[0], 4.0, lambda: width(Checked)[0]
