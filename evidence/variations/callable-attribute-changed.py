"""Variations of *A loop keeps the old attribute of the object it calls*.

The answer after the attribute changed.
"""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental.ode import odeint

from evidence.variation import vary


class Growth:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, *args):
        return self.factor * args[-1]

    def year(self, *args):
        return self.factor * args[-1]


class ByValue(Growth):
    def __eq__(self, other):
        return type(self) is type(other) and self.factor == other.factor

    def __hash__(self):
        return hash(self.factor)


def three(loop, new=10.0, exact=100.0, kind=Growth, cure=None):
    """`cure` makes a function of the object; as a default, a new lambda at each call."""

    def second(function_of):
        growth = kind(jnp.float32(2.0) if new is TEN else 2.0)
        loop(function_of(growth))
        growth.factor = new
        return float(loop(function_of(growth)))

    cure = cure or (lambda growth: lambda *args: growth(*args))
    return lambda: second(lambda growth: growth), exact, lambda: second(cure)


def below_100(size):
    return size < 100.0


def looped(f):
    return lax.while_loop(below_100, f, 1.0)


def fori(f):
    return lax.fori_loop(0, 2, f, 1.0)


def cond(f):
    return lax.cond(True, f, f, 10.0)


def inside(f):
    return jax.jit(lambda: looped(f))()


@functools.cache
def kept(growth):
    return lambda *args: growth(*args)


TEN = jnp.float32(10.0)
vary("while_loop", "silent", "holds")(lambda: three(looped))
vary("factor 5", "silent", "holds")(lambda: three(looped, 5.0, 125.0))
vary("fori_loop", "silent", "holds")(lambda: three(fori))
vary("cond", "silent", "holds")(lambda: three(cond))
vary("the object under jit", "silent", "holds")(lambda: three(lambda f: jax.jit(f)(10.0)))
vary("eqx.filter_jit", "silent", "holds")(
    lambda: three(lambda f: eqx.filter_jit(f)(jnp.float32(10.0)))
)
vary("lax.map", "right", "holds")(lambda: three(lambda f: lax.map(f, jnp.full(1, 10.0))[0]))
vary("vmap", "right", "holds")(lambda: three(lambda f: jax.vmap(f)(jnp.full(1, 10.0))[0]))
vary("the factor is an array", "silent", "holds")(lambda: three(looped, TEN))
vary("a new jit around the loop", "silent", "holds")(lambda: three(inside))
vary("the cure is a bound method", "silent", "holds")(lambda: three(looped, cure=lambda g: g.year))
vary("the cure is a partial", "silent", "holds")(lambda: three(looped, cure=functools.partial))
vary("looks right: one lambda, kept", "silent", "falls")(lambda: three(looped, cure=kept))
vary("looks right: hash and eq by the factor", "right", "holds")(
    lambda: three(looped, kind=ByValue)
)


@vary("a bound method that is kept, in scan", "silent", "holds")
def _():
    class Bank:
        def __init__(self):
            self.rates = {"year": 0.5}

        def year(self, money, _):
            return money * (1 + self.rates["year"]), money

    def second(wrap):
        bank = Bank()
        year = bank.year
        lax.scan(wrap(year), 1.0, None, 3)
        bank.rates["year"] = 1.0
        return lax.scan(wrap(year), 1.0, None, 3)[0]

    new = lambda year: lambda money, _: year(money, _)
    return lambda: second(lambda year: year), 8.0, lambda: second(new)


@vary("odeint, under jit", "silent", "holds")
def _():
    class Decay:
        rate = 1.0

        def __call__(self, level, time):
            return -self.rate * level

    def second(wrap):
        decay = Decay()
        odeint(wrap(decay), jnp.float32(1.0), jnp.array([0.0, 1.0]))
        decay.rate = 3.0
        return odeint(wrap(decay), jnp.float32(1.0), jnp.array([0.0, 1.0]))[1]

    new = lambda decay: lambda level, time: decay(level, time)
    return lambda: second(lambda decay: decay), np.exp(-3.0), lambda: second(new)
