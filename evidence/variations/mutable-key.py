"""Variations of *A static argument that changes keeps its old program*.

The totals of the changed object and of a new one.
"""

import dataclasses

import equinox as eqx
import jax
import numpy as np

from tools.variations import vary


@dataclasses.dataclass(unsafe_hash=True)
class ByName:
    name: str
    rates: list = dataclasses.field(hash=False)


@dataclasses.dataclass(unsafe_hash=True)
class ByAll:
    name: str
    rates: tuple


@dataclasses.dataclass(eq=False)
class ByIdentity:
    name: str
    rates: list


@dataclasses.dataclass(frozen=True)
class Frozen:
    name: str
    rates: tuple


@dataclasses.dataclass(frozen=True)
class FrozenWithList:
    name: str
    rates: list

    def __hash__(self):
        return hash(self.name)


def in_place(settings):
    settings.rates[1] = 10.0
    return settings


def assigned(settings):
    settings.rates = (1.0, 10.0)
    return settings


def replaced(settings):
    return dataclasses.replace(settings, rates=type(settings.rates)([1.0, 10.0]))


def static(function):
    return jax.jit(function, static_argnums=0)


def totals(kind, rates, change, jit):
    jitted = jit(lambda settings, volume: sum(settings.rates) * volume)
    settings = kind("tank", rates([1.0, 2.0]))
    jitted(settings, 1.0)
    both = change(settings), kind("tank", rates([1.0, 10.0]))
    return [float(jitted(each, 1.0)) for each in both]


def three(kind=ByName, rates=list, change=in_place, jit=static, cured=(Frozen, tuple, replaced)):
    return lambda: totals(kind, rates, change, jit), [11.0, 11.0], lambda: totals(*cured, jit)


vary("the hash is of the name alone", "silent", "holds")(lambda: three())
vary("a NumPy array instead of a list", "silent", "holds")(lambda: three(ByIdentity, np.array))
vary("compared by identity", "silent", "holds")(lambda: three(ByIdentity))
vary("the hash is of all, a tuple is assigned", "right", "holds")(
    lambda: three(ByAll, tuple, assigned)
)
vary("frozen, but with a list", "silent", "holds")(lambda: three(FrozenWithList))
vary("eqx.filter_jit", "silent", "holds")(lambda: three(jit=eqx.filter_jit))
vary("no jit", "right", "holds")(lambda: three(jit=lambda function: function))
vary("the cure is a new object, compared by identity", "silent", "holds")(
    lambda: three(cured=(ByIdentity, list, replaced))
)
vary("a new object whose hash is of its name", "silent", "holds")(
    lambda: three(cured=(ByName, list, replaced))
)
vary("looks right: frozen, but with a list", "silent", "falls")(
    lambda: three(cured=(FrozenWithList, list, in_place))
)
