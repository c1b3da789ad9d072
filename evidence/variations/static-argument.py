"""Variations of *Non-hashable static arguments are not supported*: a polynomial at 2."""

import dataclasses
import functools
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from evidence.variation import vary


@dataclasses.dataclass
class Open:
    values: tuple


@dataclasses.dataclass(frozen=True)
class Frozen:
    values: tuple


class Named(NamedTuple):
    values: tuple


def horner(coefficients, x):
    if isinstance(coefficients, (Open, Frozen, Named)):
        coefficients = coefficients.values
    if isinstance(coefficients, dict):
        coefficients = coefficients.values()
    return functools.reduce(lambda total, each: total * x + each, coefficients, 0.0)


def static(coefficients):
    return jax.jit(lambda c, x: horner(c, x), static_argnums=0)(coefficients, 2.0)


def by_name(coefficients):
    return jax.jit(lambda c, x: horner(c, x), static_argnames="c")(c=coefficients, x=2.0)


def filtered(coefficients):
    return eqx.filter_jit(lambda c, x: horner(c, x))(coefficients, jnp.float32(2.0))


def partial(coefficients):
    return jax.jit(functools.partial(horner, coefficients))(2.0)


def traced(coefficients):
    return jax.jit(lambda c: static(c))(coefficients)


def plain(coefficients):
    return jax.jit(lambda c, x: horner(c, x))(coefficients, 2.0)


def three(make, call=static, cured=tuple, cure=None, values=(1.0, 2.0, 3.0)):
    cure = cure or call
    return lambda: call(make(values)), np.polyval(values, 2.0), lambda: cure(cured(values))


def open_list(values):
    return Open(list(values))


def frozen_list(values):
    return Frozen(list(values))


def named_list(values):
    return Named(list(values))


def tuple_of_arrays(values):
    return tuple(map(jnp.float32, values))


def as_dict(values):
    return dict(enumerate(values))


vary("a list", "ValueError", "holds")(lambda: three(list))
vary("one coefficient", "ValueError", "holds")(lambda: three(list, values=(4.0,)))
vary("a list, by static_argnames", "ValueError", "holds")(lambda: three(list, by_name))
vary("a dict", "ValueError", "holds")(lambda: three(as_dict))
vary("a NumPy array", "ValueError", "holds")(lambda: three(np.array))
vary("a JAX array", "ValueError", "holds")(lambda: three(jnp.array, cured=jnp.array, cure=plain))
vary("a tracer", "ValueError", "holds", then=("right", "holds"))(
    lambda: three(jnp.array, traced, jnp.array, plain)
)
vary("a dataclass that is not frozen", "ValueError", "holds")(
    lambda: three(open_list, cured=Frozen)
)
vary("eqx.filter_jit takes a list", "right", "holds")(lambda: three(list, filtered))
vary("a partial takes a list", "right", "holds")(lambda: three(list, partial))
vary("looks right: a frozen dataclass with a list", "ValueError", "ValueError")(
    lambda: three(list, cured=frozen_list)
)
vary("looks right: a named tuple with a list", "ValueError", "ValueError")(
    lambda: three(list, cured=named_list)
)
vary("looks right: a tuple of arrays", "ValueError", "ValueError")(
    lambda: three(list, cured=tuple_of_arrays)
)


@vary("a shape as a list, by name, in a method", "ValueError", "holds")
def _():
    class Field:
        @functools.partial(jax.jit, static_argnames=("self", "shape"))
        def zeros(self, value, *, shape):
            return jnp.full(shape, value)

    field = Field()
    of = lambda shape: lambda: field.zeros(2.0, shape=shape)
    return of([2, 3]), np.full((2, 3), 2.0), of((2, 3))


@vary("a set of names", "ValueError", "holds")
def _():
    def total(table, names):
        return sum(table[name] for name in sorted(names))

    jitted = jax.jit(total, static_argnums=(1,))
    table = {"a": 1.0, "b": 2.0, "c": 4.0}
    return lambda: jitted(table, {"a", "c"}), 5.0, lambda: jitted(table, frozenset({"a", "c"}))
