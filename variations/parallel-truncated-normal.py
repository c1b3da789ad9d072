"""Variations of *Parallel TruncatedNormal*: a density read in two traces."""

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
