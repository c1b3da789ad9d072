"""Variations of *A truncated normal returns its upper bound*: three quantiles of draws."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import numpyro.distributions as dist
from jax import lax
from jax.scipy.special import ndtr, ndtri
from scipy.stats import truncnorm

from evidence.variation import vary

LEVELS, MANY = np.array([0.1, 0.5, 0.9]), 40_000
jax_draws = jax.random.truncated_normal


def upper_tail(key, low, high, shape):
    bounds = {"minval": ndtr(-high), "maxval": ndtr(-low)}
    return -ndtri(jax.random.uniform(key, shape, **bounds))


def mirrored(key, low, high, shape):
    return -jax_draws(key, -high, -low, shape)


def by_numpyro(key, low, high, shape):
    return dist.TruncatedNormal(low=low, high=high).sample(key, shape)


def coarse(draws):
    """Quantiles to a hundredth of a unit or so, as forty thousand draws have them."""
    return np.round(np.quantile(draws, LEVELS), 1)


def three(low=5.5, high=6.5, draw=jax_draws, cure=upper_tail, seed=0, way=lambda f: f):
    key = jax.random.PRNGKey(seed)
    run = lambda draw: way(lambda low, high: draw(key, low, high, (MANY,)))(low, high)
    expected = truncnorm(low, high).ppf(LEVELS)
    return lambda: coarse(run(draw)), np.round(expected, 1), lambda: coarse(run(cure))


vary("as on the page", "silent", "holds")(lambda: three())
vary("another seed", "silent", "holds")(lambda: three(seed=7))
vary("under jit", "silent", "holds")(lambda: three(way=jax.jit))
vary("bounds as arrays", "silent", "holds")(
    lambda: three(way=lambda f: lambda low, high: f(jnp.array(low), jnp.array(high)))
)
vary("from six to ten", "silent", "holds")(lambda: three(6.0, 10.0))
vary("within three it is right", "right", "holds")(lambda: three(1.0, 2.0))
vary("looks right: the interval with the other sign", "silent", "falls")(
    lambda: three(cure=mirrored)
)
vary("NumPyro's distribution", "silent", "holds")(lambda: three(cure=by_numpyro))
vary("a key of the new kind", "silent", "holds")(
    lambda: three(draw=lambda key, *rest: jax_draws(jax.random.key(3), *rest))
)


@vary("under vmap", "silent", "holds")
def lanes():
    keys = jax.random.split(jax.random.PRNGKey(1), 4)
    run = lambda draw: (
        lambda: coarse(jax.vmap(lambda key: draw(key, 5.5, 6.5, (MANY // 4,)))(keys).ravel())
    )
    return run(jax_draws), np.round(truncnorm(5.5, 6.5).ppf(LEVELS), 1), run(upper_tail)


@vary("in a scan", "silent", "holds")
def scan():
    keys = jax.random.split(jax.random.PRNGKey(2), 4)
    run = lambda draw: (
        lambda: coarse(
            lax.scan(lambda c, key: (c, draw(key, 5.5, 6.5, (MANY // 4,))), 0, keys)[1].ravel()
        )
    )
    return run(jax_draws), np.round(truncnorm(5.5, 6.5).ppf(LEVELS), 1), run(upper_tail)


@vary("in a module, with a mean and a scale", "silent", "holds")
def module():
    class Storm(eqx.Module):
        mean: float = 10.0
        scale: float = 2.0

        def above(self, key, low, draw):
            return self.mean + self.scale * draw(key, (low - self.mean) / self.scale, 6.5, (MANY,))

    run = lambda draw: lambda: coarse(Storm().above(jax.random.PRNGKey(0), 21.0, draw))
    return run(jax_draws), np.round(10 + 2 * truncnorm(5.5, 6.5).ppf(LEVELS), 1), run(upper_tail)
