"""Variations of *unhashable type: ArrayImpl, from a callable with an array*: the level."""

import dataclasses
import functools
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from evidence.variation import vary


@dataclasses.dataclass(frozen=True)
class Fill:
    amount: jax.Array

    def __call__(self, *args):
        return args[-1] + self.amount


@dataclasses.dataclass(frozen=True, eq=False)
class ByIdentity:
    amount: jax.Array
    __call__ = Fill.__call__


@dataclasses.dataclass
class Open:
    amount: jax.Array
    __call__ = Fill.__call__


class Named(NamedTuple):
    amount: jax.Array
    __call__ = Fill.__call__


class Module(eqx.Module):
    amount: jax.Array
    __call__ = Fill.__call__


def looped(f):
    return lax.while_loop(lambda level: level < 4.0, f, 0.0)


def fori(f):
    return lax.fori_loop(0, 3, f, 0.0)


def cond(f):
    return lax.cond(True, f, f, 3.0)


def jitted(f):
    return jax.jit(f)(3.0)


def mapped(f):
    return lax.map(f, jnp.full(1, 3.0))[0]


def wrapped(kind):
    def make(amount):
        f = kind(amount)
        return lambda *args: f(*args)

    return make


def three(loop=looped, kind=Fill, cured=None, amount=1.5, exact=4.5):
    cured, amount = cured or wrapped(kind), jnp.float32(amount)
    return lambda: loop(kind(amount)), exact, lambda: loop(cured(amount))


def of_float(amount):
    return Fill(float(amount))


def of_numpy(amount):
    return Fill(np.asarray(amount).reshape(1)[0])


def partial(amount):
    return functools.partial(Fill.__call__, Fill(amount))


def bound_method(amount):
    return Fill(amount).__call__


vary("while_loop", "TypeError", "holds")(lambda: three())
vary("another amount", "TypeError", "holds")(lambda: three(amount=4.0, exact=4.0))
vary("fori_loop", "TypeError", "holds")(lambda: three(fori))
vary("cond", "TypeError", "holds")(lambda: three(cond))
vary("jit of the object", "TypeError", "holds")(lambda: three(jitted))
vary("lax.map only calls", "right", "holds")(lambda: three(mapped))
vary("a module of Equinox", "TypeError", "holds")(lambda: three(kind=Module))
vary("a dataclass that is not frozen", "TypeError", "holds")(lambda: three(kind=Open))
vary("the cure is eq=False", "TypeError", "holds")(lambda: three(cured=ByIdentity))
vary("the cure is a float", "TypeError", "holds")(lambda: three(cured=of_float))
vary("the cure is a number of NumPy", "TypeError", "holds")(lambda: three(cured=of_numpy))
vary("the cure is a partial", "TypeError", "holds")(lambda: three(cured=partial))
vary("the cure is the bound method", "TypeError", "holds")(lambda: three(cured=bound_method))
vary("looks right: a named tuple", "TypeError", "TypeError")(lambda: three(cured=Named))


@vary("a branch of switch, under vmap", "TypeError", "holds")
def _():
    @dataclasses.dataclass(frozen=True)
    class Scale:
        by: jax.Array

        def __call__(self, x):
            return (self.by * x).sum()

    def run(branch):
        pick = lambda i: lax.switch(i, [jnp.sum, branch], operand=jnp.ones(2))
        return jax.vmap(pick)(jnp.array([0, 1]))

    scale = Scale(jnp.array([1.0, 2.0]))
    return lambda: run(scale), [2.0, 3.0], lambda: run(lambda x: scale(x))


@vary("a step of scan by keyword; eq=False", "TypeError", "holds")
def _():
    def total(**eq):
        @dataclasses.dataclass(frozen=True, **eq)
        class Step:
            weights: jax.Array

            def __call__(self, carry, x):
                return carry + (self.weights * x).sum(), None

        step = Step(weights=jnp.arange(3.0))
        return lax.scan(f=step, init=0.0, xs=jnp.ones((2, 3)))[0]

    return lambda: total(), 6.0, lambda: total(eq=False)
