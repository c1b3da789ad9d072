"""Variations of *Functions passed as static arguments stay in memory*.

How many of six are alive.
"""

import functools
import gc
import weakref

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from evidence.variation import vary


def apply(field, level):
    return field(level)


def defined_once(rate, level):
    return -rate * level


def alive(call, make, number=6):
    seen = []
    for place in range(number):
        field, watched = make(np.float32(0.1 * (place + 1)))
        call(field, np.float32(2.0))
        seen.append(weakref.ref(watched))
    del field, watched, call
    gc.collect()
    return sum(one() is not None for one in seen)


def fresh(rate):
    field = lambda level: -rate * level
    return field, field


def partial(rate):
    field = jax.tree_util.Partial(defined_once, rate)
    return field, field


def partial_of_fresh(rate):
    function = lambda rate, level: -rate * level
    return jax.tree_util.Partial(function, rate), function


def module_partial(rate):
    field = eqx.Partial(defined_once, rate)
    return field, field


def static():
    return jax.jit(apply, static_argnums=0)


vary("six lambdas", "silent", "holds")(
    lambda: (alive(static(), fresh), 0, alive(jax.jit(apply), partial))
)
vary("thirty lambdas", "silent", "holds")(
    lambda: (alive(static(), fresh, 30), 0, alive(jax.jit(apply), partial, 30))
)
vary("eqx.filter_jit", "silent", "holds")(
    lambda: (alive(eqx.filter_jit(apply), fresh), 0, alive(eqx.filter_jit(apply), module_partial))
)
vary("looks right: a Partial of a new lambda", "silent", "falls")(
    lambda: (alive(static(), fresh), 0, alive(jax.jit(apply), partial_of_fresh))
)
vary("the same, under eqx.filter_jit", "silent", "falls")(
    lambda: (alive(eqx.filter_jit(apply), fresh), 0, alive(eqx.filter_jit(apply), partial_of_fresh))
)
vary("no jit", "right", "-")(lambda: (alive(apply, fresh), 0, None))


@vary("a partial by static_argnames", "silent", "holds")
def _():
    def drain(level, rate):
        return -rate * level

    @functools.partial(jax.jit, static_argnames="field")
    def static(level, field):
        return field(level)

    @jax.jit
    def data(level, field):
        return field(level)

    def alive(call, make):
        seen = []
        for rate in (0.1, 0.2, 0.3):
            held = jnp.full(5, rate)
            call(2.0, field=make(held))
            seen.append(weakref.ref(held))
        del held
        gc.collect()
        return sum(one() is not None for one in seen)

    class Field:  # compared by identity, so that it is hashable
        def __init__(self, rate):
            self.rate = rate

        def __call__(self, level):
            return drain(level, self.rate)

    cured = lambda rate: jax.tree_util.Partial(drain, rate=rate)
    return lambda: alive(static, Field), 0, lambda: alive(data, cured)


@vary("a method of an object in scan under jit", "silent", "holds")
def _():
    class Tank:
        def __init__(self, rate):
            self.rate = rate

        def step(self, level, _):
            return level * (1 - self.rate), None

    def run(step, level):
        return lax.scan(step, level, None, length=3)[0]

    def step(rate, level, _):
        return level * (1 - rate), None

    def alive(call, make):
        seen = []
        for rate in (0.1, 0.2, 0.3):
            held = jnp.float32(rate)
            call(make(held), 2.0)
            seen.append(weakref.ref(held))
        del held
        gc.collect()
        return sum(one() is not None for one in seen)

    static, data = jax.jit(run, static_argnums=0), jax.jit(run)
    return (
        lambda: alive(static, lambda rate: Tank(rate).step),
        0,
        lambda: alive(data, lambda rate: jax.tree_util.Partial(step, rate)),
    )
