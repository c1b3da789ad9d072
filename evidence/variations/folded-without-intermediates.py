"""Variations of *`FoldedDistribution` in a guide raises a `TypeError`*: a log density of a draw."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro import handlers
from numpyro.contrib.control_flow import scan
from numpyro.infer import SVI, Trace_ELBO, TraceMeanField_ELBO
from numpyro.infer.util import log_density
from scipy import stats

from evidence.variation import vary

jax.config.update("jax_disable_most_optimizations", True)
KEY = jax.random.PRNGKey(0)


class Folded(dist.FoldedDistribution):
    def log_prob(self, value, intermediates=None):
        return super().log_prob(value)


def three(make=lambda folded: folded(dist.Normal(1.0, 0.5)), number=0, exact=None, cured=Folded):
    """Draw from the site under `seed`, as SVI does, and take its density at the draw."""

    def off(folded):
        model = lambda: numpyro.sample("distance", make(folded))
        total, trace = log_density(handlers.seed(model, number), (), {}, {})
        value = np.asarray(trace["distance"]["value"])
        right = exact(value) if exact else stats.foldnorm(2.0, scale=0.5).logpdf(value)
        return total - np.sum(right)

    return lambda: off(dist.FoldedDistribution), 0.0, lambda: off(cured)


def laplace(folded):
    return folded(dist.Laplace(1.0, 0.5))


def of_laplace(x):
    return np.log(stats.laplace(1.0, 0.5).pdf(x) + stats.laplace(1.0, 0.5).pdf(-x))


def event(folded):
    return folded(dist.Normal(jnp.ones(3), 0.5)).to_event(1)


def wide(folded):
    return folded(dist.Normal(1.0, 0.5)).expand([4])


def masked(folded):
    return folded(dist.Normal(1.0, 0.5)).mask(True)


def half(folded):
    return dist.HalfNormal(0.5)


class AroundTransform:
    """What looks like the cure: the transform by itself."""

    def __new__(cls, base):
        return dist.TransformedDistribution(base, dist.transforms.AbsTransform())


def steps(elbo):
    """Whether a step of SVI can be traced."""

    def loss(folded):
        def guide():
            numpyro.sample("distance", folded(dist.Normal(numpyro.param("loc", 1.0), 0.5)))

        model = lambda: numpyro.sample("distance", dist.HalfNormal(5.0))
        svi = SVI(model, guide, numpyro.optim.Adam(0.1), elbo)
        return jax.eval_shape(lambda: svi.update(svi.init(KEY))[1]).size

    return lambda: loss(dist.FoldedDistribution), 1, lambda: loss(Folded)


vary("a draw under seed", "TypeError", "holds")(lambda: three())
vary("another seed, Laplace", "TypeError", "holds")(lambda: three(laplace, 5, of_laplace))
vary("a step of SVI", "TypeError", "holds")(lambda: steps(Trace_ELBO()))
vary("a step of SVI, TraceMeanField_ELBO", "TypeError", "holds")(
    lambda: steps(TraceMeanField_ELBO())
)
vary("to_event", "TypeError", "holds", then=("right", "holds"))(lambda: three(event))
vary("expand", "TypeError", "holds", then=("right", "holds"))(lambda: three(wide))
vary("a mask", "TypeError", "holds")(lambda: three(masked))
vary("HalfNormal", "right", "holds")(lambda: three(half, exact=stats.halfnorm(scale=0.5).logpdf))
vary("looks right: AbsTransform", "TypeError", "NotImplementedError")(
    lambda: three(cured=AroundTransform)
)


class _Folded(dist.FoldedDistribution):
    def log_prob(self, value, intermediates=None):
        return super().log_prob(value)


@vary("called by hand, Cauchy by keyword, under jit", "TypeError", "holds")
def _():
    def density(fold):
        law = fold(base_dist=dist.Cauchy(loc=1.0, scale=2.0))

        @jax.jit
        def at(key):
            value, intermediates = law.sample_with_intermediates(key)
            return law.log_prob(value, intermediates) - jnp.log(
                sum(jnp.exp(dist.Cauchy(1.0, 2.0).log_prob(sign * value)) for sign in (1, -1))
            )

        return at(jax.random.key(2))

    return lambda: density(dist.FoldedDistribution), 0.0, lambda: density(_Folded)


@vary(
    "a walk of folded steps in NumPyro's scan",
    "TypeError",
    "holds",
    then=("IndexError", "IndexError"),
)
def _():
    def drawn(fold):
        def step(at, _):
            size = numpyro.sample("size", fold(dist.Normal(at, 0.5)))
            return at + size, size

        model = handlers.seed(lambda: scan(step, 1.0, None, length=4), 0)
        total, trace = log_density(model, (), {}, {})
        sizes = np.asarray(trace["size"]["value"], float)
        starts = 1.0 + np.append(0.0, np.cumsum(sizes)[:-1])
        return total - stats.foldnorm(starts / 0.5, scale=0.5).logpdf(sizes).sum()

    return lambda: drawn(dist.FoldedDistribution), 0.0, lambda: drawn(_Folded)
