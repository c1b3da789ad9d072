"""Variations of *A function with lru_cache fails in the second trace*: value, then slope."""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy.special import ndtr
from scipy import special, stats

from evidence.variation import vary


def mass(low, high):
    return jnp.log(ndtr(high) - ndtr(low))


def by_scipy(low, high):
    return float(np.log(special.ndtr(high) - special.ndtr(low)))


def ensured(low, high):
    with jax.ensure_compile_time_eval():
        return mass(low, high)


def in_a_jit(low, high):
    return jax.jit(mass)(low, high)


def as_numpy(low, high):
    return np.asarray(mass(low, high))


def concrete(low, high):
    return float(mass(low, high))


def three(cured=by_scipy, keep=functools.lru_cache, jit=jax.jit, bounds=(0.0, 2.0), before=False):
    def both(helper, keep=keep):
        helper = keep(helper)
        if before:
            helper(*bounds)

        def density(level):
            normal = -0.5 * level**2 - 0.5 * jnp.log(2 * jnp.pi)
            return normal - helper(*bounds)

        at = jnp.float32(1.0)
        return [jit(lambda x: density(x))(at), jit(jax.grad(lambda x: density(x)))(at)]

    exact = [stats.truncnorm(*bounds).logpdf(1.0), -1.0]
    return lambda: both(mass), exact, lambda: both(cured)


def by_dict(helper):
    kept = {}
    return lambda *args: kept.get(args) or kept.setdefault(args, helper(*args))


def lanes(function):
    return lambda x: jax.vmap(function)(x[None])[0]


def uncached(helper):
    return helper


vary("lru_cache, under jit", "UnexpectedTracerError", "holds")(lambda: three())
vary("functools.cache, other bounds", "UnexpectedTracerError", "holds")(
    lambda: three(keep=functools.cache, bounds=(-1.0, 3.0))
)
vary("a cache of one entry", "UnexpectedTracerError", "holds")(
    lambda: three(keep=functools.lru_cache(maxsize=1))
)
vary("a dict", "TracerBoolConversionError", "holds")(lambda: three(keep=by_dict))
vary("eqx.filter_jit", "UnexpectedTracerError", "holds")(lambda: three(jit=eqx.filter_jit))
vary("vmap", "right", "holds")(lambda: three(jit=lanes))
vary("no jit", "right", "holds")(lambda: three(jit=lambda function: function))
vary("called once before, outside", "right", "holds")(lambda: three(before=True))
vary("no cache", "right", "holds")(lambda: three(keep=uncached))
vary("the cure is ensure_compile_time_eval", "UnexpectedTracerError", "holds")(
    lambda: three(ensured)
)
vary("looks right: a jit in the helper", "UnexpectedTracerError", "UnexpectedTracerError")(
    lambda: three(in_a_jit)
)
vary(
    "looks right: np.asarray of what JAX computes",
    "UnexpectedTracerError",
    "TracerArrayConversionError",
)(lambda: three(as_numpy))
vary("looks right: float of what JAX computes", "UnexpectedTracerError", "ConcretizationTypeError")(
    lambda: three(concrete)
)


def _cached(helper):
    """A grid from a helper with a cache: in a scan, then in a vmap."""
    weigh = lambda x: (helper(4, power=2) * x).sum()
    first = lax.scan(lambda total, x: (total + weigh(x), None), 0.0, jnp.ones(2))[0]
    return [first, *jax.vmap(weigh)(jnp.arange(2.0))]


@vary("a static method, a scan and a vmap", "UnexpectedTracerError", "holds")
def _():
    class Basis:
        @staticmethod
        @functools.cache
        def grid(n, power):
            return jnp.arange(n) ** power * 1.0

        @staticmethod
        @functools.cache
        def by_numpy(n, power):
            return np.arange(n) ** power * 1.0

    return lambda: _cached(Basis.grid), [28.0, 0.0, 14.0], lambda: _cached(Basis.by_numpy)


@vary("a cached method, ensure_compile_time_eval", "UnexpectedTracerError", "holds")
def _():
    class Basis:
        @functools.cache  # noqa: B019
        def grid(self, n, power):
            return jnp.linspace(0, n - 1, n) ** power

        @functools.cache  # noqa: B019
        def ensured(self, n, power):
            with jax.ensure_compile_time_eval():
                return jnp.linspace(0, n - 1, n) ** power

    return lambda: _cached(Basis().grid), [28.0, 0.0, 14.0], lambda: _cached(Basis().ensured)


@vary("a jit above the cache, all arguments static", "UnexpectedTracerError", "holds")
def _():
    grid = lambda n, power: jnp.arange(n) ** power * 1.0
    static = jax.jit(functools.cache(grid), static_argnums=0, static_argnames="power")
    return lambda: _cached(functools.cache(grid)), [28.0, 0.0, 14.0], lambda: _cached(static)
