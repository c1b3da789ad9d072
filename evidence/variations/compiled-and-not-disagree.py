"""Variations of *Compiled and not compiled disagree*: the day before."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from evidence.variation import vary


def three(move, cured=None, size=8, number=0, dtype=np.float32, lag=1):
    series = np.random.default_rng(number).integers(1, 99, size).astype(dtype)
    exact = np.concatenate([series[:lag], series[:-lag]])[None]
    cured = cured or (lambda v: jnp.concatenate([v[:lag], v[:-lag]])[None])
    return lambda: jax.jit(move)(series), exact, lambda: jax.jit(cured)(series)


def by_set(values):
    return values.at[1:].set(values[:-1])[None]


def two_before(values):
    return values.at[2:].set(values[:-2])[None]


def reshaped(values):
    return values.at[1:].set(values[:-1]).reshape(1, -1)


def by_slice(values):
    return lax.dynamic_update_slice(values, values[:-1], (1,))[None]


def rolled(values):
    return jnp.roll(values, 1).at[0].set(values[0])[None]


def fenced(values):
    return lax.optimization_barrier(values.at[1:].set(values[:-1]))[None]


def copied(values):
    return values.at[1:].set(values[:-1].copy())[None]


def masked(values):
    return jnp.where(jnp.arange(len(values)) == 0, values, jnp.roll(values, 1))[None]


def appended(values):
    return jnp.append(values[:1], values[:-1])[None]


def padded(values):
    return jnp.pad(values[:-1], (1, 0), mode="edge").reshape(1, -1)


def in_a_loop(values):
    """Shift in the body of a loop that runs once."""
    shift = lambda _, v: jnp.concatenate([v[:1], v[:-1]], axis=0)
    return lax.fori_loop(0, 1, shift, values)[None]


def in_lanes(values):
    return jax.vmap(lambda v: jnp.concatenate((v[:1], v[:-1]), dtype=v.dtype))(values[None])


def set_in_a_loop(values):
    return lax.fori_loop(0, 1, lambda _, v: v.at[1:].set(v[:-1]), values)[None]


def plain(values):
    return values.at[1:].set(values[:-1])


def outside(values):
    return jax.jit(plain)(values)[None]


vary("eight days", "silent", "holds", then=("right", "holds"))(lambda: three(by_set))
vary("another seed, a thousand days", "silent", "holds", then=("right", "holds"))(
    lambda: three(by_set, size=1000, number=4)
)
vary("two days", "right", "holds")(lambda: three(by_set, size=2))
vary("three days", "silent", "holds", then=("right", "holds"))(lambda: three(by_set, size=3))
vary("whole numbers", "silent", "holds", then=("right", "holds"))(
    lambda: three(by_set, dtype=np.int32)
)
vary("two days before", "silent", "holds", then=("right", "holds"))(
    lambda: three(two_before, lag=2)
)
vary("reshape instead of None", "silent", "holds", then=("right", "holds"))(lambda: three(reshaped))
vary("dynamic_update_slice", "silent", "holds", then=("right", "holds"))(lambda: three(by_slice))
vary("the batch axis is made outside", "right")(
    lambda: (lambda: jax.jit(plain)(np.arange(8.0))[None], np.r_[0:1, 0:7][None] * 1.0, None)
)
vary("the cure is roll", "silent", "holds", then=("right", "holds"))(lambda: three(by_set, rolled))
vary("the cure is where and roll", "silent", "holds", then=("right", "holds"))(
    lambda: three(by_set, masked)
)
vary("the cure is an optimization_barrier", "silent", "holds", then=("right", "AttributeError"))(
    lambda: three(by_set, fenced)
)
for title, cured in (("append", appended), ("pad", padded)):
    vary(f"the cure is {title}", "silent", "holds", then=("right", "holds"))(
        lambda cured=cured: three(by_set, cured)
    )
vary("the cure in a loop", "silent", "holds", then=("right", "holds"))(
    lambda: three(by_set, in_a_loop)
)
vary("the cure in lanes, with a dtype", "silent", "holds", then=("right", "holds"))(
    lambda: three(by_set, in_lanes)
)
vary("the failure in a loop", "silent", "holds", then=("right", "holds"))(
    lambda: three(set_in_a_loop)
)
vary("looks right: copy what is read", "silent", "falls", then=("right", "holds"))(
    lambda: three(by_set, copied)
)
vary("looks right: a jit inside", "silent", "falls", then=("right", "holds"))(
    lambda: three(by_set, outside)
)


@vary("integers, two days back", "silent", "holds", then=("right", "holds"))
def _():
    series = np.int32([3, 1, 4, 1, 5, 9, 2, 6])

    @jax.jit
    def back(values):
        return values.at[2:].set(values[:-2])[None]

    @jax.jit
    def cured(values):
        return jnp.concatenate([values[:2], values[:-2]])[None]

    return back(series), np.concatenate([series[:2], series[:-2]])[None], cured(series)


@vary("a method, the rows of a table, reshaped", "silent", "holds", then=("right", "holds"))
def _():
    table = np.float32(np.arange(12).reshape(4, 3))

    class Lag:
        @functools.partial(jax.jit, static_argnums=0)
        def rows(self, table):
            return table.at[1:].set(table[:-1]).reshape(1, 4, 3)

        @functools.partial(jax.jit, static_argnames=("self",))
        def cured(self, table):
            return jnp.concatenate((table[:1], table[:-1]), axis=0).reshape(1, 4, 3)

    expected = np.concatenate([table[:1], table[:-1]])[None]
    return Lag().rows(table), expected, Lag().cured(table=table)


@vary("two days back, by a fori_loop", "right", "holds")
def _():
    series = np.float32([3, 1, 4, 1, 5, 9, 2, 6])

    @jax.jit
    def shifted(values, days):
        step = lambda _, v: v.at[1:].set(v[:-1])
        return lax.fori_loop(0, days, step, values)[None]

    @jax.jit
    def cured(values, days):
        step = lambda _, v: jnp.concatenate([v[:1], v[:-1]])
        return lax.fori_loop(0, days, step, values)[None]

    expected = np.concatenate([[3, 3], series[:-2]])[None]
    return shifted(series, 2), expected, cured(series, 2)


@vary("64 bits", "silent", "holds", then=("right", "holds"))
def _():
    jax.config.update("jax_enable_x64", True)  # until the end, so this row is the last
    return three(by_set, dtype=np.float64)
