"""Variations of *A lazy property that returns a tuple keeps tracers*: value, then slope."""

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import numpyro.distributions as dist
from numpyro.distributions.util import lazy_property

from tools.variations import vary


class Tails(NamedTuple):
    low: jax.Array
    high: jax.Array


def waiting(tails, keep=lazy_property):
    """Return a class whose property `tails` is what `tails` makes of two numbers."""

    class Waiting(dist.Distribution):
        support = dist.constraints.positive

        def __init__(self, low, high):
            self.low, self.high = low, high
            super().__init__()

        def log_prob(self, minutes):
            low, high = jax.tree.leaves(self.tails)
            return -minutes - jnp.log(low - high)

    def own(self):
        return tails(jnp.exp(-self.low), jnp.exp(-self.high))

    own.__name__ = "tails"
    Waiting.tails = keep(own)
    return Waiting


def three(tails, cured=(lambda low, high: (low, high), property), jit=jax.jit, args=(1.0, 3.0)):
    def both(kind):
        one = kind(*args)
        value = jit(lambda x: one.log_prob(x))(jnp.float32(2.0))
        return [value, jit(jax.grad(lambda x: one.log_prob(x)))(jnp.float32(2.0))]

    mass = np.log(np.exp(-args[0]) - np.exp(-args[1]))
    return lambda: both(waiting(tails)), [-2.0 - mass, -1.0], lambda: both(waiting(*cured))


def pair(low, high):
    return low, high


def as_list(low, high):
    return [low, high]


def as_dict(low, high):
    return {"a": low, "b": high}


vary("a tuple", "UnexpectedTracerError", "holds")(lambda: three(pair))
vary("a list", "UnexpectedTracerError", "holds")(lambda: three(as_list))
vary("a dict", "UnexpectedTracerError", "holds")(lambda: three(as_dict))
vary("a named tuple", "UnexpectedTracerError", "holds")(lambda: three(Tails))
vary("other bounds, eqx.filter_jit", "UnexpectedTracerError", "holds")(
    lambda: three(pair, jit=eqx.filter_jit, args=(0.5, 9.0))
)
vary("no jit", "right", "holds")(lambda: three(pair, jit=lambda function: function))
vary("vmap", "right", "holds")(lambda: three(pair, jit=lambda f: lambda x: jax.vmap(f)(x[None])[0]))
vary("looks right: a list as the cure", "UnexpectedTracerError", "UnexpectedTracerError")(
    lambda: three(pair, (as_list, lazy_property))
)
vary("looks right: a named tuple as the cure", "UnexpectedTracerError", "UnexpectedTracerError")(
    lambda: three(pair, (Tails, lazy_property))
)
