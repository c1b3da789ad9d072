"""Variations of *A shifted distribution is fitted below its bound*: a median, by a sum too."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.distributions import biject_to
from numpyro.distributions.transforms import AffineTransform
from numpyro.infer import MCMC, NUTS, SVI, Trace_ELBO
from numpyro.infer.autoguide import AutoMultivariateNormal, AutoNormal
from scipy import stats

from evidence.variation import vary

jax.config.update("jax_disable_most_optimizations", True)


def exact(prior, loc, scale, near, error, low, high):
    """The median of the posterior, by a sum over a grid."""
    grid = np.linspace(low, high, 40_001)[1:-1]
    weights = prior.pdf((grid - loc) / scale) * stats.norm(grid, error).pdf(near)
    return np.interp(0.5, weights.cumsum() / weights.sum(), grid)


def fit(law, near, error, guide=AutoNormal, seed=0):
    def model():
        x = numpyro.sample("x", law())
        numpyro.sample("rest", dist.Normal(0.0, error), obs=near - x)

    chosen = guide(model)
    svi = SVI(model, chosen, numpyro.optim.Adam(0.03), Trace_ELBO(num_particles=10))
    key = jax.random.PRNGKey(seed)
    fitted = svi.run(key, 1000, progress_bar=False)
    values = chosen.sample_posterior(key, fitted.params, sample_shape=(2000,))
    return np.median(np.asarray(values["x"]))


def three(base, by_scipy, loc, scale, near, low, high, error=0.5, **options):
    law = lambda affine: dist.TransformedDistribution(base, affine)
    bounded = lambda: law(AffineTransform(loc, scale, domain=base.support))
    median = exact(by_scipy, loc, scale, near, error, low, high)
    off = lambda law: np.round(5 * fit(law, near, error, **options) / median)  # to a tenth
    plain = lambda: law(AffineTransform(loc, scale))
    return lambda: off(plain), 5.0, lambda: off(bounded)


EXPONENTIAL = dist.Exponential(1.0), stats.expon(), 1.0, 1.0, 0.6, 1.0, 9.0

vary("as on the page", "silent", "holds")(lambda: three(*EXPONENTIAL))
vary("another seed", "silent", "holds")(lambda: three(*EXPONENTIAL, seed=3))
vary("AutoMultivariateNormal", "silent", "holds")(
    lambda: three(*EXPONENTIAL, guide=AutoMultivariateNormal)
)
vary("a gamma", "silent", "holds")(
    lambda: three(dist.Gamma(1.0, 2.0), stats.gamma(1, scale=0.5), 1.0, 1.0, 0.6, 1.0, 9.0)
)
vary("a negative half-normal", "silent", "holds")(
    lambda: three(dist.HalfNormal(2.5), stats.halfnorm(scale=2.5), 0.0, -1.0, 0.6, -9.0, 0.0)
)
vary("a uniform, scaled", "silent", "holds")(
    lambda: three(dist.Uniform(0.0, 1.0), stats.uniform(), 1.0, 2.0, 3.6, 1.0, 3.0)
)


@vary(
    "a list of transforms, the domain in the last", "ValueError", "holds", then=("silent", "holds")
)
def listed():
    exp, base = dist.transforms.ExpTransform(), dist.Normal(0.0, 1.0)
    law = lambda *domain: (
        lambda: dist.TransformedDistribution(base, [exp, AffineTransform(1.0, 1.0, *domain)])
    )
    median = exact(stats.lognorm(1), 1.0, 1.0, 0.6, 0.5, 1.0, 20.0)
    off = lambda law: np.round(5 * fit(law, 0.6, 0.5) / median)
    return lambda: off(law()), 5.0, lambda: off(law(dist.constraints.positive))


@vary("a scaled Dirichlet: its total; the cure scales afterwards", "silent", "holds")
def simplex():
    base, point = dist.Dirichlet(jnp.ones(4)), jnp.array([0.3, -0.2, 0.5, 0.1])
    law = dist.TransformedDistribution(base, AffineTransform(0.0, 4.0))
    inside = lambda law, point: dist.biject_to(law.support)(point).sum()
    return lambda: inside(law, point), 4.0, lambda: 4.0 * inside(base, point[:3])


@vary("a scaled Dirichlet, and `domain=`", "silent", "NotImplementedError")
def simplex_by_domain():
    base = dist.Dirichlet(jnp.ones(4))
    affine = AffineTransform(0.0, 4.0, domain=base.support)
    return *simplex()[:2], lambda: dist.TransformedDistribution(base, affine).event_dim


@vary("a scale that is traced and negative", "silent", "falls")
def traced():
    base = dist.HalfNormal(1.0)

    def inside(*domain):
        def of(scale):
            law = dist.TransformedDistribution(base, AffineTransform(0.0, scale, *domain))
            return dist.biject_to(law.support)(0.5) <= 0

        return jax.jit(of)(-1.0)

    return inside, True, lambda: inside(base.support)


@vary("a Beta, by keyword; its own bijection, under jit", "silent", "holds")
def _():
    def inside(**domain):
        affine = AffineTransform(loc=2.0, scale=3.0, **domain)
        law = dist.TransformedDistribution(base_distribution=dist.Beta(2.0, 3.0), transforms=affine)
        points = jax.jit(lambda x: biject_to(law.support)(x))(jnp.float32([-9.0, 0.0, 9.0]))
        return bool(((points >= 2) & (points <= 5)).all())

    return lambda: inside(), True, lambda: inside(domain=dist.Beta(2.0, 3.0).support)


@vary(
    "a class of its own, shifts in a plate, NUTS", "RuntimeError", "holds", then=("silent", "holds")
)
def _():
    shifts = np.float32([1.0, 2.0, 4.0])

    class Delay(dist.TransformedDistribution):
        def __init__(self, shift, **domain):
            super().__init__(dist.Exponential(1.0), AffineTransform(shift, 1.0, **domain))

    def all_above(**domain):
        def model():
            with numpyro.plate("parcels", 3):
                delay = numpyro.sample("delay", Delay(shifts, **domain))
                numpyro.sample("seen", dist.Normal(delay, 0.5), obs=shifts - 0.2)

        mcmc = MCMC(NUTS(model), num_warmup=100, num_samples=200, progress_bar=False)
        mcmc.run(jax.random.key(0))
        return bool((mcmc.get_samples()["delay"] >= shifts).all())

    return lambda: all_above(), True, lambda: all_above(domain=dist.Exponential(1.0).support)


def below(base, scale=1.0, **domain):
    """Count the numbers that the support puts outside of the prior, mapped from -1."""
    law = dist.TransformedDistribution(base, AffineTransform(0.0, scale, **domain))
    inside = biject_to(law.support)(-jnp.ones(2))
    return int((jnp.broadcast_to(inside, (2,)) * np.sign(scale) < 0).sum())


POSITIVE = dist.constraints.positive
vary("a scale of mixed signs", "silent", "falls")(
    lambda: (
        lambda: below(dist.HalfNormal(1.0), np.float32([1, -1])),
        0,
        lambda: below(dist.HalfNormal(1.0), np.float32([1, -1]), domain=POSITIVE),
    )
)
PAIR = dist.Exponential(1.0).expand([2]).to_event(1)
vary("a vector; the support below `to_event`", "silent", "holds")(
    lambda: (lambda: below(PAIR), 0, lambda: below(PAIR, domain=POSITIVE))
)
vary("a vector; its own support", "silent", "NotImplementedError")(
    lambda: (lambda: below(PAIR), 0, lambda: below(PAIR, domain=PAIR.support))
)
