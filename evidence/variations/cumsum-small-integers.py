"""Variations of *A running total of small integers drops in the middle*: ends of sentences."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from evidence.variation import vary


def lengths(dtype="uint8", count=12, most=60, number=0):
    drawn = np.random.default_rng(number).integers(most // 2, most, count)
    return jnp.array(drawn, dtype)


def in_int(values):
    return jnp.cumsum(values, dtype=int)


def three(way=jnp.cumsum, cure=in_int, **options):
    values = lengths(**options)
    exact = np.cumsum(np.asarray(values, "int64"))
    return lambda: way(values), exact, lambda: cure(values)


class Sentences:
    def __init__(self, values):
        self.values = values

    def ends(self, **how):
        return jnp.cumsum(a=self.values, axis=0, **how)


def in_a_loop(values, dtype):
    def step(total, value):
        total = total + value
        return total, total

    return lax.scan(step, jnp.zeros((), dtype), values)[1]


def rows(values, **how):
    return jax.vmap(functools.partial(jnp.cumsum, **how))(values.reshape(1, -1))[0]


vary("twelve sentences, as on the page", "silent", "holds")(lambda: three())
vary("another seed", "silent", "holds")(lambda: three(number=3))
vary("three sentences: they fit", "right", "holds")(lambda: three(count=3))
vary("int16, and many", "silent", "holds")(lambda: three(dtype="int16", count=2000))
vary("int32", "right", "holds")(lambda: three(dtype="int32"))
vary("under jit", "silent", "holds")(lambda: three(jax.jit(jnp.cumsum), jax.jit(in_int)))
vary("the array's method", "silent", "holds")(
    lambda: three(lambda v: v.cumsum(), lambda v: v.cumsum(dtype=int))
)
vary("in a class", "silent", "holds")(
    lambda: three(lambda v: Sentences(v).ends(), lambda v: Sentences(v).ends(dtype=int))
)
vary("under vmap, axis by keyword", "silent", "holds")(
    lambda: three(functools.partial(rows, axis=0), functools.partial(rows, axis=0, dtype=int))
)
vary("a scan whose total is a uint8", "silent", "holds")(
    lambda: three(lambda v: in_a_loop(v, "uint8"), lambda v: in_a_loop(v, "int32"))
)
vary("cumulative_sum", "silent", "holds")(lambda: three(cure=lambda v: jnp.cumulative_sum(v)))
vary("looks right: converted afterwards", "silent", "falls")(
    lambda: three(cure=lambda v: jnp.cumsum(v).astype(int))
)
vary("looks right: NumPy's function", "silent", "falls")(lambda: three(cure=np.cumsum))
vary("a NumPy array, by NumPy's function", "silent", "holds")(
    lambda: three(cure=lambda v: np.cumsum(np.asarray(v)))
)
