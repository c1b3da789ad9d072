"""Variations of *A NumPy number turns bfloat16 into float32*: the bytes of a result."""

import functools
import math

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from evidence.variation import vary


def bytes_of(function, *arguments):
    return lambda: sum(leaf.nbytes for leaf in jax.tree.leaves(function(*arguments)))


def three(wrong, cure, dtype=jnp.bfloat16, way=lambda f: f, of=lambda f, s: f / s):
    x = jnp.ones((4, 8), dtype)
    divided = lambda scalar: bytes_of(way(lambda x: of(x, scalar)), x)
    return divided(wrong), x.nbytes, divided(cure)


vary("as on the page, under jit", "silent", "holds")(
    lambda: three(np.sqrt(64), math.sqrt(64), way=jax.jit)
)
vary("without jit", "silent", "holds")(lambda: three(np.sqrt(64), math.sqrt(64)))
vary("float16; the cure is float()", "silent", "holds")(
    lambda: three(np.sqrt(64), float(np.sqrt(64)), jnp.float16)
)
vary("an entry of an array", "silent", "holds")(
    lambda: three(np.array([0.1, 0.2])[0], np.array([0.1, 0.2])[0].item())
)
vary("a mean of the data", "silent", "holds")(
    lambda: three(np.mean([1.0, 3.0]), float(np.mean([1.0, 3.0])))
)
vary("an integer of NumPy keeps the type", "right", "holds")(lambda: three(np.int64(8), 8))
vary("np.pi is a Python number", "right", "holds")(lambda: three(np.pi, math.pi))
vary("under vmap", "silent", "holds")(lambda: three(np.sqrt(64), 8.0, way=jax.vmap))
vary("a maximum", "silent", "holds")(
    lambda: three(np.float64(0), 0.0, of=lambda x, s: jnp.maximum(x, s))
)
vary("a power", "silent", "holds")(lambda: three(np.float64(0.5), 0.5, of=lambda x, s: x**s))
vary("where", "silent", "holds")(
    lambda: three(np.float64(0), 0.0, of=lambda x, s: jnp.where(x > 0, x, s))
)
vary("looks right: np.float32", "silent", "falls")(lambda: three(np.sqrt(64), np.float32(8)))
vary("looks right: jnp.float32", "silent", "falls")(lambda: three(np.sqrt(64), jnp.float32(8)))
vary("jnp.sqrt of an integer, and of a float", "silent", "holds")(
    lambda: three(np.sqrt(64), jnp.sqrt(64) * jnp.sqrt(1.0))
)


@vary("a field of a module, in a loop", "silent", "holds")
def module():
    class Layer(eqx.Module):
        weights: jax.Array
        scale: float

        def __call__(self, x):
            return jnp.tanh(self.weights @ x / self.scale)

    def run(scale):
        layer = Layer(jnp.ones((4, 4), jnp.bfloat16), scale)
        layers = [layer] * 3
        x = jnp.ones(4, jnp.bfloat16)
        return bytes_of(lambda x: functools.reduce(lambda x, layer: layer(x), layers, x), x)

    return run(np.sqrt(4)), 8, run(math.sqrt(4))


@vary("the carry of a scan", "TypeError", "holds")
def carry():
    def run(scalar):
        step = lambda x, _: (x / scalar, None)
        return bytes_of(lambda x: lax.scan(step, x, None, length=3)[0], jnp.ones(4, jnp.bfloat16))

    return run(np.sqrt(4)), 8, run(2.0)


@vary("float32 with 64 bits", "silent", "holds")
def wide():
    jax.config.update("jax_enable_x64", True)  # until the end, so this row is the last
    return three(np.sqrt(64), math.sqrt(64), jnp.float32, jax.jit)
