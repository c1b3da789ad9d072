"""Variations of *Two callables with one hash share one program*.

Two objects, the answer of the second.
"""

import dataclasses
import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from evidence.variation import vary


class ByName:
    def __init__(self, name, factor):
        self.name, self.factor = name, factor

    def __call__(self, x):
        return x * self.factor

    def __hash__(self):
        return hash(self.name)

    def __eq__(self, other):
        return isinstance(other, ByName) and self.name == other.name


class NoCheck(ByName):
    __hash__ = ByName.__hash__

    def __eq__(self, other):
        return self.name == other.name


@dataclasses.dataclass(frozen=True)
class LeavesOut:
    name: str
    factor: jax.Array = dataclasses.field(compare=False)
    __call__ = ByName.__call__


@dataclasses.dataclass(frozen=True, eq=False)
class ByIdentity:
    name: str
    factor: jax.Array
    __call__ = ByName.__call__


def three(run, kind=ByName, cured=ByIdentity, value=5.0):
    def second(kind):
        small, large = kind("a", jnp.float32(3.0)), kind("a", jnp.float32(value))
        run(small)
        return run(large)

    return lambda: second(kind), value, lambda: second(cured)


RUNS = {
    "while_loop": lambda f: lax.while_loop(lambda x: x < 2.0, f, 1.0),
    "jit": lambda f: jax.jit(f)(1.0),
    "cond": lambda f: lax.cond(True, f, f, 1.0),
    "switch": lambda f: lax.switch(0, [f, f], 1.0),
    "checkpoint": lambda f: jax.checkpoint(f)(1.0),
    "eqx.filter_jit": lambda f: eqx.filter_jit(f)(jnp.float32(1.0)),
}
CALLS = {
    "vmap": lambda f: jax.vmap(f)(jnp.ones(1))[0],
    "grad": lambda f: jax.grad(f)(1.0),
    "lax.map": lambda f: lax.map(f, jnp.ones(1))[0],
}
apply = jax.jit(lambda f, x: f(x), static_argnums=0)
for name, run in RUNS.items():
    vary(name, "silent", "holds")(lambda run=run: three(run))
for name, run in CALLS.items():
    vary(f"{name}, which only calls", "right", "holds")(lambda run=run: three(run))
vary("a static argument", "silent", "holds")(lambda: three(lambda f: apply(f, 1.0)))
vary("compare=False", "silent", "holds")(lambda: three(RUNS["while_loop"], LeavesOut))
vary("__eq__ without isinstance", "AttributeError", "holds")(lambda: three(RUNS["jit"], NoCheck))
vary("equal values", "right", "holds")(lambda: three(RUNS["jit"], value=3.0))


@vary("compared by their text, which leaves out most", "silent", "holds")
def _():
    class Table:
        def __init__(self, values):
            self.values = values

        def __repr__(self):
            return f"Table({self.values!r})"

        def __hash__(self):
            return hash(repr(self))

        def __eq__(self, other):
            return repr(self) == repr(other)

    @dataclasses.dataclass(frozen=True, eq=False)
    class ByIdentity:
        values: np.ndarray

    @functools.partial(jax.jit, static_argnames="table")
    def total(x, *, table):
        return x * table.values.sum()

    def two(make):
        values = np.zeros(2000)
        other = np.where(np.arange(2000) == 1000, 7.0, values)
        return [total(1.0, table=make(values)), total(1.0, table=make(other))]

    return lambda: two(Table), [0.0, 7.0], lambda: two(ByIdentity)


@vary("a method, equal by an id; partial of jit", "silent", "holds")
def _():
    class Sensor:
        def __init__(self, number, gain):
            self.number, self.gain = number, gain

        def __eq__(self, other):
            return self.number == other.number

        def __hash__(self):
            return self.number

        @functools.partial(jax.jit, static_argnums=(0,))
        def read(self, volts):
            return self.gain * volts

    class Plain(Sensor):
        __eq__, __hash__ = object.__eq__, object.__hash__

    two = lambda cls: [cls(1, gain).read(jnp.ones(2)).sum() for gain in (1.0, 2.0)]
    return lambda: two(Sensor), [2.0, 4.0], lambda: two(Plain)
