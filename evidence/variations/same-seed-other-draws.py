"""Variations of *The same seed gives other draws since JAX 0.5*: who is treated."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend.random import threefry_2x32

from evidence.variation import vary


def by_counting(seed, size):
    bits = threefry_2x32(jax.random.PRNGKey(seed), jnp.arange(size, dtype=jnp.uint32))
    return (np.asarray(bits) >> 9) / 2**23


def uniform(seed, size, key=jax.random.PRNGKey):
    return jax.random.uniform(key(seed), (size,))


def three(draw=uniform, cure=None, seed=2024, size=8):
    def cured():
        with jax.threefry_partitionable(False):
            return (cure or draw)(seed, size)

    return lambda: draw(seed, size), by_counting(seed, size), cured


class Trial:
    def __init__(self, size):
        self.size = size

    def draw(self, seed):
        return jax.random.uniform(key=jax.random.PRNGKey(seed), shape=(self.size,))


@functools.partial(jax.jit, static_argnums=(0, 1))
def compiled(seed, size):
    return jax.random.uniform(jax.random.PRNGKey(seed), (size,))


def in_a_loop(seed, size):
    draw = lambda _, x: (None, jax.random.uniform(x, (size,)))
    return lax.scan(draw, None, jax.random.PRNGKey(seed)[None])[1][0]


def set_inside(seed, size):
    @jax.jit
    def draw(key):
        with jax.threefry_partitionable(False):
            return jax.random.uniform(key, (size,))

    return draw(jax.random.PRNGKey(seed))


RIGHT = {"then": ("right", "holds")}
vary("eight patients, as on the page", "silent", "holds", **RIGHT)(lambda: three())
vary("another seed", "silent", "holds", **RIGHT)(lambda: three(seed=3))
vary("a thousand patients", "silent", "holds", **RIGHT)(lambda: three(size=1000))
vary("one patient", "silent", "holds", **RIGHT)(lambda: three(size=1))
vary("a typed key", "silent", "holds", **RIGHT)(
    lambda: three(functools.partial(uniform, key=jax.random.key))
)
vary("in a class, by keyword", "silent", "holds", **RIGHT)(
    lambda: three(lambda seed, size: Trial(size).draw(seed))
)
vary("under jit, compiled before under the new setting", "silent", "holds", **RIGHT)(
    lambda: three(compiled)
)
vary("in a scan", "silent", "holds", **RIGHT)(lambda: three(in_a_loop))
vary("the setting inside a compiled function", "silent", "holds", **RIGHT)(
    lambda: three(cure=set_inside)
)


def dice(dtype):
    """Integers below six: today, as JAX 0.4 made them of two rows of bits, and cured."""
    key, shape, bits = jax.random.PRNGKey(2024), (40,), np.dtype(dtype).itemsize * 8
    draw = lambda: jax.random.randint(key, shape, 0, 6, dtype)
    with jax.threefry_partitionable(False):
        high, low = (
            np.asarray(jax.random.bits(half, shape, dtype), int) for half in jax.random.split(key)
        )
    by_hand = (high % 6 * (2**bits % 6) + low % 6) % 6

    def cured():
        with jax.threefry_partitionable(False):
            return draw()

    return draw, by_hand, cured


vary("dice of 8 bits", "silent", "falls", **RIGHT)(lambda: dice(jnp.uint8))
vary("dice of 16 bits", "silent", "falls", **RIGHT)(lambda: dice(jnp.uint16))
vary("dice of 32 bits", "silent", "holds", **RIGHT)(lambda: dice(jnp.uint32))
