"""Ten cells of *Can I use it?* by somebody else: from what a construct says, with SciPy and loops.

They were drawn by `random.Random(33).sample(cells, 10)` of the 2,846 cells that were right, wrong
or raised on 2026-11-23, in the order of the table. Nothing of `can_i_use` computes here: each
function returns what the library says, and what a formula or SciPy says of the same values.
"""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro import handlers
from numpyro.contrib.control_flow import scan
from numpyro.infer import SVI, Trace_ELBO
from numpyro.infer.autoguide import AutoDelta
from numpyro.infer.util import log_density, potential_energy
from scipy import special, stats

DAYS = np.array([0.6, 0.9, 1.3])  # a parameter that moves


def joint(model, **given):
    return log_density(handlers.seed(model, 1), (), {}, given)[0]


def days_of_series(law, x, **options):
    """The density of a scan over days, in a plate over the columns of x."""

    def day(carry, inputs):
        with numpyro.plate("series", x.shape[1]):
            numpyro.sample("x", law(inputs[0]), obs=inputs[1])
        return carry, None

    return joint(lambda: scan(day, None, (jnp.asarray(DAYS), jnp.asarray(x)), **options))


def svi(model, guide, key):
    run = SVI(model, guide, numpyro.optim.Adam(0.1), Trace_ELBO())
    state = run.init(key)
    return run.evaluate(state), run.get_params(state)


def SoftLaplace():
    def lane(loc, x, key):
        d = dist.SoftLaplace(loc, 0.7)
        return d.log_prob(x), d.sample(key, (2000,))

    x, keys = np.array([-1.0, 0.4, 2.5]), jax.random.split(jax.random.key(1), 3)
    got, drawn = jax.vmap(lane)(DAYS, x, keys)
    z = (x - DAYS) / 0.7
    ranks = 2 / np.pi * np.arctan(np.exp((np.asarray(drawn) - DAYS[:, None]) / 0.7))
    even = [stats.kstest(row, "uniform").pvalue > 1e-4 for row in ranks]
    return [*got, *even], [*np.log(2 / np.pi / 0.7 / (np.exp(z) + np.exp(-z))), 1, 1, 1]


def Exponential():
    return jax.jit(dist.Exponential)(1.7).log_prob(DAYS), stats.expon(scale=1 / 1.7).logpdf(DAYS)


def TwoSidedTruncatedGamma():
    def model():
        numpyro.sample("x", dist.TwoSidedTruncatedGamma(dist.Gamma(1.6, 0.8), 0.5, 3.0))

    keys = jax.random.split(jax.random.key(1), 4)
    losses, found = jax.vmap(lambda key: svi(model, AutoDelta(model), key))(keys)
    whole = stats.gamma(1.6, scale=1 / 0.8)
    inside = np.log(whole.cdf(3.0) - whole.cdf(0.5))
    return losses, inside - whole.logpdf(np.asarray(found["x_auto_loc"]))


def Gumbel():
    law = dist.Gumbel(0.3, 1.4)
    got = [potential_energy(lambda: numpyro.sample("x", law), (), {}, {"x": x}) for x in DAYS]
    return got, -stats.gumbel_r(0.3, 1.4).logpdf(DAYS)


def HurdleProbs():
    d = jax.jit(lambda gate: dist.HurdleProbs(dist.Poisson(2.2), gate))(0.35)
    k = np.array([1, 2, 5])
    above = np.log(0.65) + stats.poisson(2.2).logpmf(k) - np.log(1 - np.exp(-2.2))
    return d.log_prob(np.array([0, *k])), [np.log(0.35), *above]


def NegativeBinomial2():
    def model():
        numpyro.sample("x", dist.NegativeBinomial2(2.0, 1.5))

    return svi(model, model, jax.random.key(1))[0], 0.0


def Weibull():
    x = stats.weibull_min.rvs(1.4, size=(3, 5), random_state=33)
    expected = stats.weibull_min.logpdf(x, 1.4, scale=DAYS[:, None]).sum()
    return days_of_series(lambda scale: dist.Weibull(scale, 1.4), x), expected


def RelaxedBernoulliLogits():
    x, logits = np.random.default_rng(33).uniform(0.1, 0.9, (3, 3)), np.array([-0.4, 0.2, 1.1])
    by_hand = stats.logistic(logits / DAYS[:, None], 1 / DAYS[:, None]).logpdf(special.logit(x))

    def law(temperature):
        return dist.RelaxedBernoulliLogits(temperature * jnp.ones(3), jnp.asarray(logits))

    return days_of_series(law, x), (by_hand - np.log(x) - np.log(1 - x)).sum()


def ProjectedNormal():
    angle, mean = np.linspace(0, 6, 40), np.array([0.8, -0.5])
    x = np.stack([np.cos(angle), np.sin(angle)], -1)
    t = x @ mean
    density = 1 + t * stats.norm.cdf(t) / stats.norm.pdf(t)
    expected = -np.log(2 * np.pi) - mean @ mean / 2 + np.log(density)
    return dist.ProjectedNormal(jnp.asarray(mean)).log_prob(jnp.asarray(x)), expected


def Gamma():
    def day(carry, rate):
        return carry, numpyro.sample("x", dist.Gamma(1.8, rate))

    x = np.array([0.5, 1.1, 2.9])
    got = joint(lambda: scan(day, None, jnp.asarray(DAYS), reverse=True), x=jnp.asarray(x))
    return got, stats.gamma.logpdf(x, 1.8, scale=1 / DAYS).sum()
