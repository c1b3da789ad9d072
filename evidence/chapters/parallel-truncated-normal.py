"""A `TruncatedNormal` made once at module level is the prior of two parallel chains.

Tracing the first chain stores a tracer on the shared object, which the next trace meets. `ok`: both
chains run, and the mean of their draws is the mean that the textbook formula gives.
"""

import math

import jax
import numpyro
import numpyro.distributions as dist
from numpyro.infer import MCMC, NUTS

numpyro.set_host_device_count(2)

EXPECT = {"raises": "UnexpectedTracerError", "match": "unexpected tracer"}
TOLERANCE = 0.025

LOW, HIGH = 0.5, 2.0
SPEED = dist.TruncatedNormal(0.0, 1.0, low=LOW, high=HIGH)


def _pdf(x: float) -> float:
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def _cdf(x: float) -> float:
    return (1 + math.erf(x / math.sqrt(2))) / 2


expected = (_pdf(LOW) - _pdf(HIGH)) / (_cdf(HIGH) - _cdf(LOW))


def shared() -> None:
    numpyro.sample("speed", SPEED)


def own() -> None:
    numpyro.sample("speed", dist.TruncatedNormal(0.0, 1.0, low=LOW, high=HIGH))


def sampled_mean(model) -> float:
    assert jax.local_device_count() == 2
    mcmc = MCMC(NUTS(model), num_warmup=300, num_samples=1000, num_chains=2, progress_bar=False)
    mcmc.run(jax.random.PRNGKey(0))
    return float(mcmc.get_samples()["speed"].mean())


def program() -> float:
    return sampled_mean(shared)


def cure() -> float:
    """Build the distribution inside the model."""
    return sampled_mean(own)
