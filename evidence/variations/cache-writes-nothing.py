"""Variations of *The compilation cache stays empty*: programs in the folder."""

import functools
import os
import tempfile

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from evidence.variation import vary

folder = tempfile.mkdtemp()
jax.config.update("jax_compilation_cache_dir", folder)
DEFAULT = jax.config.jax_persistent_cache_min_compile_time_secs


def written(make, seconds):
    """Return how many programs named `own` are in the folder after one was compiled."""
    for name in os.listdir(folder):
        os.remove(os.path.join(folder, name))
    jax.clear_caches()
    jax.config.update("jax_persistent_cache_min_compile_time_secs", seconds)
    make()
    names = [name.removesuffix("-atime").removesuffix("-cache") for name in os.listdir(folder)]
    return len({name for name in names if "own" in name})


def three(make, limit=0):
    return lambda: written(make, DEFAULT), 1, lambda: written(make, limit)


@vary("one jitted function", "silent", "holds")
def _():
    def own(x):
        return jnp.sin(x) + 1

    return three(lambda: jax.jit(own)(np.float32(1)))


@vary("compiled ahead of time", "silent", "holds")
def _():
    def own(x):
        return jnp.cos(x) + 2

    return three(lambda: jax.jit(own).lower(np.float32(1)).compile())


@vary("vmap and grad", "silent", "holds")
def _():
    def own(x):
        return jnp.tanh(x) ** 2

    return three(lambda: jax.jit(jax.vmap(jax.grad(own)))(np.arange(3, dtype=np.float32)))


@vary("a limit of a thousandth of a second", "silent", "holds")
def _():
    def own(x):
        return jnp.exp(x) + 3

    return three(lambda: jax.jit(own)(np.float32(1)), 0.001)


@vary("looks right: the smallest size of an entry", "silent", "falls")
def _():
    def own(x):
        return jnp.log(x) + 4

    def smaller():
        jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
        jax.jit(own)(np.float32(1))

    return three(smaller, DEFAULT)


@vary("a method under a partial of jit", "silent", "holds")
def _():
    class Wave:
        @functools.partial(jax.jit, static_argnums=0)
        def own(self, x):
            return jax.lax.scan(lambda y, _: (jnp.sin(y), y), x, None, length=4)

    return three(lambda: Wave().own(jnp.ones(3)))


@vary("filter_jit, called by keyword", "silent", "holds")
def _():
    @eqx.filter_jit
    def own(x, *, times=2):
        return jnp.cumsum(x) * times

    return three(lambda: own(x=jnp.arange(4), times=3))
