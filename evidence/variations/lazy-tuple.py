"""Variations of *A lazy property that returns a tuple keeps tracers*: value, then slope."""

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import numpyro.distributions as dist
from numpyro.distributions.util import lazy_property

from evidence.variation import vary


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
            kept = self.tails
            low, high = kept if isinstance(kept, jax.Array) else jax.tree.leaves(kept)
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


def stacked(low, high):
    return jnp.stack([low, high])


def typed(low, high):
    return jnp.array([low, high], dtype="float32")


def in_a_loop(function):
    """Run a function in a loop of one step, in a jit."""

    def run(x):
        return jax.lax.scan(lambda _, x: (0.0, function(x)), 0.0, x[None])[1][0]

    return jax.jit(run)


def loop_and_after(function):
    """Run a function in a loop, and again after the loop, in one jit."""
    return jax.jit(lambda x: (in_a_loop(function)(x) + function(x)) / 2)


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
# NumPyro has had the guard, which recognizes an array, since 0.15.3.
OLD = ("UnexpectedTracerError", "UnexpectedTracerError")
for title, jit in (
    ("jit", jax.jit),
    ("a loop", in_a_loop),
    ("a loop and after it", loop_and_after),
):
    vary(f"the cure is one array, in {title}", "UnexpectedTracerError", "holds", then=OLD)(
        lambda jit=jit: three(pair, (stacked, lazy_property), jit=jit)
    )
    vary(f"a plain property, in {title}", "UnexpectedTracerError", "holds")(
        lambda jit=jit: three(pair, jit=jit)
    )
vary("one array, with a dtype", "UnexpectedTracerError", "holds", then=OLD)(
    lambda: three(pair, (typed, lazy_property), jit=loop_and_after)
)
vary("the bounds are arrays", "UnexpectedTracerError", "holds", then=OLD)(
    lambda: three(pair, (stacked, lazy_property), args=(jnp.float32(1.0), jnp.float32(3.0)))
)
