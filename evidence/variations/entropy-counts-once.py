"""Variations of *The entropy of a batch is that of one member*: sums of entropies."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from jax import lax
from numpyro.distributions.kl import kl_divergence
from scipy import stats

from evidence.variation import vary

TRIL = np.float32([[2.0, 0.0], [1.0, 1.0]])
OF_TRIL = stats.multivariate_normal(cov=TRIL @ TRIL.T).entropy()


def total(law):
    return jnp.sum(law.entropy())


def to_event(law):
    return law.to_event(1).entropy()


def broadcast(law):
    return jnp.broadcast_to(law.entropy(), law.batch_shape).sum()


def laplaces(summed=to_event, size=25, scale=2.0, cure=None):
    """The sum over a batch of locations; the cure gives the scale the batch as well."""
    law = lambda ones: dist.Laplace(jnp.arange(size) * 1.0, scale * ones)
    cured = cure or (lambda: summed(law(jnp.ones(size))))
    return lambda: summed(law(1.0)), size * stats.laplace(scale=scale).entropy(), cured


def normals(summed=to_event, size=3, by_name="scale_tril"):
    matrix = TRIL if by_name == "scale_tril" else TRIL @ TRIL.T
    law = lambda ones: dist.MultivariateNormal(jnp.zeros((size, 2)), **{by_name: matrix * ones})
    return lambda: summed(law(1.0)), size * OF_TRIL, lambda: summed(law(jnp.ones((size, 1, 1))))


vary("25 Laplaces, as on the page", "silent", "holds")(lambda: laplaces())
vary("seven, another scale, without to_event", "silent", "holds")(lambda: laplaces(total, 7, 0.3))
vary("one member", "right", "holds")(lambda: laplaces(size=1))
vary("multivariate normals", "silent", "holds")(lambda: normals())
vary("multivariate normals by their covariance", "silent", "holds")(
    lambda: normals(total, 5, "covariance_matrix")
)
vary("the cure broadcasts the entropy", "silent", "holds")(
    lambda: laplaces(total, cure=lambda: broadcast(dist.Laplace(jnp.arange(25.0), 2.0)))
)
vary("the cure expands one distribution", "silent", "holds")(
    lambda: laplaces(cure=lambda: to_event(dist.Laplace(0.0, 2.0).expand([25])))
)
vary("looks right: the whole expanded", "silent", "falls")(
    lambda: laplaces(cure=lambda: to_event(dist.Laplace(jnp.arange(25.0), 2.0).expand([25])))
)


@vary("a class, by keyword, the slope in a scan", "silent", "holds")
def _():
    class Guide:
        def __init__(self, ones):
            self.ones = ones

        def slope(self, carry, scale):
            of = lambda scale: to_event(dist.Laplace(loc=jnp.zeros(4), scale=scale * self.ones))
            return carry, jax.grad(of)(scale)

    slopes = lambda ones: lax.scan(Guide(ones).slope, None, jnp.array([1.0, 2.0]))[1]
    return lambda: slopes(1.0), [4.0, 2.0], lambda: slopes(jnp.ones(4))


@vary("a plate, the site of a trace, a partial", "silent", "holds")
def _():
    def model(ones):
        with numpyro.plate("sensors", 6):
            numpyro.sample("x", dist.Laplace(jnp.zeros(6), 1.0 * ones))

    def of_site(ones):
        seeded = numpyro.handlers.seed(functools.partial(model, ones), jax.random.PRNGKey(0))
        return total(numpyro.handlers.trace(seeded).get_trace()["x"]["fn"])

    return lambda: of_site(1.0), 6 * stats.laplace().entropy(), lambda: of_site(jnp.ones(6))


@vary("other distributions", "right", "holds")
def _():
    def all_of(ones):
        laws = [dist.Normal, dist.Logistic, dist.Cauchy]
        return [to_event(law(jnp.zeros(3), 2.0 * ones)) for law in laws]

    by_scipy = [stats.norm, stats.logistic, stats.cauchy]
    expected = [3 * law(scale=2.0).entropy() for law in by_scipy]
    return lambda: all_of(1.0), expected, lambda: all_of(jnp.ones(3))


@vary("the divergence of two batches", "right", "-")
def _():
    law = lambda scale: dist.MultivariateNormal(jnp.zeros((3, 2)), scale_tril=scale * jnp.eye(2))
    exact = 3 * 2 * (np.log(2.0) + 1 / 8 - 0.5)
    return lambda: kl_divergence(law(1.0), law(2.0)).sum(), exact, None
