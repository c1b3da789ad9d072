"""Variations of *cannot create weak reference to a callable tuple*: the level at the end."""

import dataclasses
import functools
import operator
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import lax

from evidence.variation import vary


class Rise(NamedTuple):
    amount: float

    def __call__(self, *args):
        return args[-1] + self.amount


@dataclasses.dataclass(frozen=True, slots=True)
class Slots:
    amount: float

    def __call__(self, *args):
        return args[-1] + self.amount


@dataclasses.dataclass(frozen=True, slots=True, weakref_slot=True)
class WeakSlots:
    amount: float
    __call__ = Slots.__call__


@dataclasses.dataclass(frozen=True)
class Frozen:
    amount: float
    __call__ = Slots.__call__


class Inherits(Slots):
    """A subclass without slots of its own."""


class EmptySlots(Slots):
    __slots__ = ()


def looped(f):
    return lax.while_loop(lambda level: level < 4.0, f, 0.0)


def fori(f):
    return lax.fori_loop(0, 3, f, 0.0)


def cond(f):
    return lax.cond(True, f, f, 3.0)


def jitted(f):
    return jax.jit(f)(3.0)


def filtered(f):
    return eqx.filter_jit(f)(jnp.float32(3.0))


def checkpointed(f):
    return jax.checkpoint(f)(3.0)


def mapped(f):
    return lax.map(f, jnp.full(1, 3.0))[0]


def wrapped(kind):
    def make(amount):
        f = kind(amount)
        return lambda *args: f(*args)

    return make


def three(loop=looped, kind=Rise, cured=None, amount=1.5, exact=4.5):
    cured = cured or wrapped(kind)
    return lambda: loop(kind(amount)), exact, lambda: loop(cured(amount))


def partial(amount):
    return functools.partial(Rise(amount))


def bound_method(amount):
    return Rise(amount).__call__


vary("while_loop, a named tuple", "TypeError", "holds")(lambda: three())
vary("another amount", "TypeError", "holds")(lambda: three(amount=4.0, exact=4.0))
vary("a dataclass with slots", "TypeError", "holds")(lambda: three(kind=Slots))
vary("fori_loop", "TypeError", "holds")(lambda: three(fori))
vary("cond", "TypeError", "holds")(lambda: three(cond))
vary("jit of the object", "TypeError", "holds")(lambda: three(jitted))
vary("eqx.filter_jit of the object", "right", "holds")(lambda: three(filtered))
vary("checkpoint", "TypeError", "holds")(lambda: three(checkpointed))
vary("lax.map only calls", "right", "holds")(lambda: three(mapped))
vary("the cure is weakref_slot=True", "TypeError", "holds")(lambda: three(cured=WeakSlots))
vary("the cure is a frozen dataclass", "TypeError", "holds")(lambda: three(cured=Frozen))
vary("the cure is functools.partial", "TypeError", "holds")(lambda: three(cured=partial))
vary("the cure is the bound method", "TypeError", "holds")(lambda: three(cured=bound_method))
vary("a subclass without slots", "TypeError", "holds")(lambda: three(kind=Slots, cured=Inherits))
vary("looks right: a subclass with empty slots", "TypeError", "TypeError")(
    lambda: three(kind=Slots, cured=EmptySlots)
)


@vary("an itemgetter as the condition", "TypeError", "holds")
def _():
    body = lambda state: (state[0] + 1, state[0] < 4)
    run = lambda going: lax.while_loop(going, body, (0, True))[0]
    going = operator.itemgetter(1)
    return lambda: run(going), 5, lambda: run(lambda state: going(state))


@vary("a class with slots as the body of scan", "TypeError", "holds")
def _():
    def total(*slots):
        class Step:
            __slots__ = ("rate", *slots)

            def __init__(self, rate):
                self.rate = rate

            def __call__(self, carry, x):
                return carry + self.rate * x, None

        return lax.scan(Step(2.0), 0.0, xs=jnp.arange(3.0))[0]

    return lambda: total(), 6.0, lambda: total("__weakref__")
