"""Variations of *Parallel TruncatedNormal*: a density read in two traces."""

import copy
import functools

import jax
import jax.numpy as jnp
import numpy as np
import numpyro.distributions as dist
from jax import lax
from jax.scipy.special import ndtr
from scipy import stats

from evidence.variation import vary

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


class Interval:
    """The chapter's class in plain JAX, which fails today."""

    def __init__(self, low, high):
        self.low, self.high = low, high

    def mass(self):
        return jnp.log(ndtr(self.high) - ndtr(self.low))

    log_mass = functools.cached_property(mass)

    def log_prob(self, x):
        return -0.5 * x**2 - 0.5 * jnp.log(2 * jnp.pi) - self.log_mass


class Eager(Interval):
    @functools.cached_property
    def log_mass(self):
        with jax.ensure_compile_time_eval():
            return self.mass()


class Early(Interval):
    def __init__(self, low, high):
        super().__init__(low, high)
        self.log_mass = self.mass()


class Uncached(Interval):
    log_mass = property(Interval.mass)


def two_loops(log_prob, x=2.0):
    """Search, move, and return the log density in the end."""
    start = lax.while_loop(lambda x: log_prob(x) < -2.0, lambda x: x / 2, x)
    end = lax.fori_loop(0, 3, lambda i, x: x + jax.grad(log_prob)(x) / 9, start)
    return log_prob(end)


def outside(kind):
    kept = kind(0.0, 2.0)
    return jax.jit(lambda x: two_loops(kept.log_prob, x))(2.0)


def inside(kind, before=lambda made: None):
    def run(low, x):
        made = kind(low, 2.0)
        before(made)
        return two_loops(made.log_prob, x)

    return run


def constant(*args):
    return jax.jit(lambda x: inside(*args)(0.0, x))(2.0)


def argument(*args):
    return jax.jit(inside(*args))(0.0, 2.0)


def innermost():
    return jax.jit(lambda x: two_loops(lambda y: Interval(0.0, 2.0).log_prob(y), x))(2.0)


def end(cured):
    low = stats.truncnorm(0.0, 2.0).logpdf((1 - 1 / 9) ** 3)
    return lambda: (lambda: outside(Interval), low, cured)


LEAK = "UnexpectedTracerError"
read = lambda made: made.log_mass
vary("two loops: early", LEAK, "holds")(end(lambda: outside(Early)))
vary("two loops: at compile time", LEAK, "holds")(end(lambda: outside(Eager)))
vary("two loops: a plain property", LEAK, "holds")(end(lambda: outside(Uncached)))
vary("looks right: built inside, two loops", LEAK, LEAK)(end(lambda: constant(Interval)))
vary("built inside, read before two loops", LEAK, "holds")(end(lambda: constant(Interval, read)))
vary("built in each loop", LEAK, "holds")(end(innermost))
vary("looks right: a bound is an argument, two loops", LEAK, LEAK)(end(lambda: argument(Interval)))
vary("a bound is an argument, read before", LEAK, "holds")(end(lambda: argument(Interval, read)))
vary("looks right: a bound is an argument, at compile time", LEAK, LEAK, then=(LEAK, "holds"))(
    end(lambda: argument(Eager))
)
