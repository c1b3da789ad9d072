"""Variations of *The quantiles of a discrete uniform distribution lie between its values*: dice."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro.distributions as dist
from scipy import stats

from evidence.variation import vary

EVEN = (np.arange(60) + 0.5) / 60


def up(d, q):
    return jnp.clip(jnp.ceil(d.icdf(q)), d.low, d.high)


def three(low=1, high=6, q=EVEN, cure=up, way=lambda f: f):
    d = dist.DiscreteUniform(low, high)
    right = stats.randint(np.asarray(low), np.asarray(high) + 1).ppf(q)
    return lambda: way(lambda q: d.icdf(q))(q), lambda: right, lambda: way(partial_of(cure, d))(q)


def partial_of(cure, d):
    return lambda q: cure(d, q)


def from_values(d, q):
    return up(d, q - 1e-6)


def back(cure):
    d, values = dist.DiscreteUniform(0, 999), np.arange(1000.0)
    return lambda: d.icdf(d.cdf(values)), lambda: values, lambda: cure(d, d.cdf(values))


vary("a die, as on the page", "silent", "holds")(lambda: three())
vary("from -5 to 30", "silent", "holds")(lambda: three(-5, 30))
vary("one value only", "silent", "holds")(lambda: three(3, 3))
vary("under jit", "silent", "holds")(lambda: three(way=jax.jit))
vary("under vmap", "silent", "holds")(lambda: three(way=jax.vmap))
vary("random levels", "silent", "holds")(
    lambda: three(q=np.random.default_rng(1).uniform(size=200))
)
vary("an array of bounds", "silent", "holds")(
    lambda: three(np.array([0, 1]), np.array([9, 6]), EVEN[:, None])
)
vary("levels that cdf returned, 0 to 999", "right", "falls")(lambda: back(up))
vary("the same, less 1e-6", "right", "holds")(lambda: back(from_values))
vary("the cure is round", "silent", "falls")(lambda: three(cure=lambda d, q: jnp.round(d.icdf(q))))
vary("the cure is floor plus one", "silent", "holds")(
    lambda: three(cure=lambda d, q: jnp.floor(d.icdf(q)) + 1)
)


@vary("a copula: the normal levels of two dice, by keyword", "silent", "holds")
def _():
    normal = np.random.default_rng(0).normal(size=(50, 2)).astype("float32")
    dice = dist.DiscreteUniform(low=jnp.array([1, -4]), high=jnp.array([6, 15]))
    throw = jax.jit(lambda z: jax.scipy.special.ndtr(z))
    q = throw(normal)
    expected = stats.randint(np.array([1, -4]), np.array([7, 16])).ppf(np.asarray(q, float))
    return dice.icdf(q), expected, up(dice, q)


@vary("a subclass, throws added up in a scan", "silent", "holds")
def _():
    class Die(dist.DiscreteUniform):
        def __init__(self, sides, **options):
            super().__init__(low=1, high=sides, **options)

    die, q = Die(20), np.float32(np.linspace(0.02, 0.98, 30))

    def total(quantile):
        return jax.lax.scan(lambda total, q: (total + quantile(q), None), 0.0, q)[0]

    expected = stats.randint(1, 21).ppf(q.astype(float)).sum()
    return lambda: total(die.icdf), expected, lambda: total(lambda q: up(die, q))
