"""Variations of *Functions passed as static arguments stay in memory*.

How many of six are alive.
"""

import gc
import weakref

import equinox as eqx
import jax
import numpy as np

from tools.variations import vary


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
