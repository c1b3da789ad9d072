"""Variations of *A distribution built under `vmap` draws the same noise for all*.

Distinct noises.
"""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro import handlers
from scipy.stats import norm

from evidence.variation import vary


def three(make, undo, size=3, number=0, jit=False):
    """Count the noises in one draw; `undo` takes the parameters out of a draw."""
    means = 1.0 + jnp.arange(float(size))
    key = jax.random.PRNGKey(number)

    def distinct(build):
        draw = lambda: build(means).sample(key)
        noise = undo(np.asarray((jax.jit(draw) if jit else draw)()), np.asarray(means))
        return len(np.unique(np.round(noise, 3)))

    return lambda: distinct(lambda m: jax.vmap(make)(m)), size, lambda: distinct(make)


def shift(drawn, means):
    return drawn - means


def scale(drawn, means):
    return drawn / means


vary("normals", "silent", "holds")(lambda: three(lambda m: dist.Normal(m, 1.0), shift))
vary("another seed, ten members", "silent", "holds")(
    lambda: three(lambda m: dist.Normal(m, 1.0), shift, 10, 5)
)
vary("one member", "right", "holds")(lambda: three(lambda m: dist.Normal(m, 1.0), shift, 1))
vary("under jit", "silent", "holds")(lambda: three(lambda m: dist.Normal(m, 1.0), shift, jit=True))
vary("Cauchy", "silent", "holds")(lambda: three(lambda m: dist.Cauchy(m, 1.0), shift))
vary("HalfNormal", "silent", "holds")(lambda: three(dist.HalfNormal, scale))
vary("Uniform", "ValueError", "holds", then=("TypeError", "holds"))(
    lambda: three(lambda m: dist.Uniform(m, m + 1.0), shift)
)
vary("Gamma", "ValueError", "holds")(lambda: three(lambda m: dist.Gamma(2.0, 1 / m), scale))
vary("expand outside as the cure", "silent", "holds")(
    lambda: (
        *three(lambda m: dist.Normal(m, 1.0), shift)[:2],
        lambda: expanded(jnp.arange(3.0)),
    )
)


def expanded(means):
    built = jax.vmap(lambda m: dist.Normal(m, 1.0))(means).expand([3])
    drawn = built.sample(jax.random.PRNGKey(0))
    return len(np.unique(np.round(np.asarray(drawn - means), 3)))


def of_places(cure):
    """Take the density of three members that have three places each, by hand and by a cure."""
    means, at = jnp.arange(3.0), jnp.zeros((3, 3))
    member = lambda mean: dist.Normal(mean, 1.0).expand([3]).to_event(1)
    by_hand = norm.logpdf(at, np.arange(3.0)[:, None]).sum(axis=1)
    mapped = lambda: jax.vmap(member)(means).log_prob(at)
    return mapped, by_hand, lambda: cure(member, means).log_prob(at)


def with_an_axis(member, means):
    return dist.Normal(means[:, None], 1.0).expand([3, 3]).to_event(1)


vary("the density of expanded members", "silent", "holds")(lambda: of_places(with_an_axis))
vary("the same, built from arrays alone", "silent", "falls")(
    lambda: of_places(lambda member, means: member(means))
)


@vary("a multivariate normal by its covariance, lax.map", "silent", "holds")
def _():
    means = jnp.arange(6.0).reshape(3, 2)

    def build(mean):
        return dist.MultivariateNormal(loc=mean, covariance_matrix=jnp.eye(2))

    def distinct(built):
        noise = built.sample(jax.random.key(1)) - means
        return len(np.unique(np.asarray(noise).round(3), axis=0))

    return lambda: distinct(jax.lax.map(build, means)), 3, lambda: distinct(build(means))


@vary("a class of two parameters, in a plate", "right", "holds")
def _():
    class Sales:
        def law(self, mean, spread):
            return dist.StudentT(5.0, loc=mean, scale=spread)

    law, means = Sales().law, jnp.arange(4.0)

    def distinct(built):
        def model():
            with numpyro.plate("n", 4):
                return numpyro.sample("x", built)

        return len(np.unique(np.asarray(handlers.seed(model, 0)() - means).round(3)))

    mapped = jax.vmap(law, in_axes=(0, None))(means, 2.0)
    return lambda: distinct(mapped), 4, lambda: distinct(law(means, 2.0))
