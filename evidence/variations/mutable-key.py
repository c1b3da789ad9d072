"""Variations of *A static argument that changes keeps its old program*.

The totals of the changed object and of a new one.
"""

import dataclasses
import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from evidence.variation import vary


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


@vary("options in a dictionary, hashed by their names", "silent", "holds")
def _():
    class Options(dict):
        def __hash__(self):
            return hash(tuple(self))

    @dataclasses.dataclass(frozen=True)
    class Frozen:
        items: tuple

    @functools.partial(jax.jit, static_argnames="options")
    def scaled(x, *, options):
        return x * dict(options.items if isinstance(options, Frozen) else options)["scale"]

    def second():
        options = Options(scale=2.0)
        scaled(1.0, options=options)
        options["scale"] = 5.0
        return scaled(1.0, options=options)

    def cured():
        old = Frozen((("scale", 2.0),))
        scaled(1.0, options=old)
        return scaled(1.0, options=dataclasses.replace(old, items=(("scale", 5.0),)))

    return second, 5.0, cured


@vary("a static field of a module, changed in place", "silent", "holds")
def _():
    class Setting:
        def __init__(self, powers):
            self.powers = powers

    class Model(eqx.Module):
        weight: jax.Array
        setting: object = eqx.field(static=True)

        @eqx.filter_jit
        def __call__(self):
            powers = getattr(self.setting, "powers", self.setting)
            return sum(self.weight**power for power in powers)

    def second():
        setting = Setting([1, 2])
        model = Model(jnp.float32(3.0), setting)
        model()
        setting.powers.append(3)
        return model()

    def cured():
        model = Model(jnp.float32(3.0), (1, 2))
        model()
        return dataclasses.replace(model, setting=(*model.setting, 3))()

    return second, 39.0, cured
