"""Variations of *Parallel TruncatedNormal*: a density read in two traces."""

import copy
import functools

import jax
import jax.numpy as jnp
import numpy as np
import numpyro.distributions as dist
from jax import lax
from scipy import stats

from tools.variations import vary

OLD = ("UnexpectedTracerError", "holds")


def three(run, low=0.0, high=2.0, cure="inside", x=0.7):
    bounds = {
        name: value for name, value in {"low": low, "high": high}.items() if value is not None
    }
    a, b = (-np.inf if low is None else low), (np.inf if high is None else high)
    exact = stats.truncnorm(a, b).logpdf(x)
    kept = dist.TruncatedNormal(0.0, 1.0, **bounds)

    def outside(level):
        return kept.log_prob(level)

    early = dist.TruncatedNormal(0.0, 1.0, **bounds)
    early.log_prob(x)

    def cured(level):
        if cure == "early":
            return early.log_prob(level)
        return dist.TruncatedNormal(0.0, 1.0, **bounds).log_prob(level)

    return lambda: run(outside, x), exact, lambda: run(cured, x)


def two_jits(f, x):
    jax.jit(lambda level: f(level))(x)
    return jax.jit(lambda level: f(level) + 0.0)(x)


def jit_then_plain(f, x):
    jax.jit(f)(x)
    return f(x)


def vmap_in_jit(f, x):
    jax.jit(jax.vmap(f))(jnp.full(3, x))
    return jax.jit(jax.vmap(lambda level: f(level)))(jnp.full(3, x))[0]


def after_a_loop(f, x):
    lax.map(f, jnp.full(2, x))
    return f(x)


def grad_then_jit(f, x):
    jax.grad(f)(x)
    return jax.jit(f)(x)


@vary("two jits, both bounds", "right", "holds", then=OLD)
def _():
    return three(two_jits)


@vary("two jits, one bound", "right", "holds", then=OLD)
def _():
    return three(two_jits, high=None)


@vary("two jits, the other bound", "right", "holds", then=OLD)
def _():
    return three(two_jits, low=None)


@vary("jit, then without", "right", "holds", then=OLD)
def _():
    return three(jit_then_plain)


@vary("vmap inside jit, twice", "right", "holds", then=OLD)
def _():
    return three(vmap_in_jit)


@vary("after a loop", "right", "holds", then=OLD)
def _():
    return three(after_a_loop)


@vary("grad first: its tracer holds a value", "right", "holds")
def _():
    return three(grad_then_jit)


@vary("bounds that are arrays", "right", "holds", then=OLD)
def _():
    return three(two_jits, low=jnp.float32(0.0), high=jnp.float32(2.0))


@vary("the cure of reading early", "right", "holds", then=OLD)
def _():
    return three(two_jits, cure="early")


def prior():
    return dist.TruncatedNormal(0.0, 1.0, low=0.0, high=2.0)


def twice(x, first=prior, second=lambda kept: kept, early=lambda kept: None):
    """Score in two traces; `second` makes the object of the second from that of the first."""
    kept = first()
    early(kept)
    jax.jit(lambda level: kept.log_prob(level))(x)
    other = second(kept)
    return jax.jit(lambda level: other.log_prob(level) + 0.0)(x)


def clear(kept):
    jax.clear_caches()
    return kept


def drawn(kept):
    kept.sample(jax.random.PRNGKey(0))


def remade():
    make = functools.lru_cache(prior)
    return two_jits(lambda level: make().log_prob(level), 0.7)


def against(cured):
    return *three(two_jits)[:2], cured


NEITHER = ("UnexpectedTracerError", "UnexpectedTracerError")
vary("looks right: jax.clear_caches()", "right", "holds", then=NEITHER)(
    lambda: against(lambda: twice(0.7, second=clear))
)
vary("looks right: a deep copy, made after use", "right", "holds", then=NEITHER)(
    lambda: against(lambda: twice(0.7, second=copy.deepcopy))
)
vary("the cure is a copy by tree.map, after use", "right", "holds", then=OLD)(
    lambda: against(lambda: twice(0.7, second=lambda kept: jax.tree.map(lambda leaf: leaf, kept)))
)
vary("looks right: made in a function with lru_cache", "right", "holds", then=NEITHER)(
    lambda: against(remade)
)
vary("looks right: drawn early, and not scored", "right", "holds", then=NEITHER)(
    lambda: against(lambda: twice(0.7, early=drawn))
)
