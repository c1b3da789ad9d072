"""A colony over thirty years, and a forecast of its next ten as a random walk."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from jax import lax
from numpyro import handlers
from numpyro.contrib.control_flow import scan


def forecast(level, drift, sigma, years):
    def year(now, _):
        now = numpyro.sample("step", dist.Normal(now + drift, sigma))
        return now, now

    with handlers.block(), handlers.seed(rng_seed=numpyro.prng_key()):
        return lax.scan(year, level, None, length=years)[1]


def model(log_count):
    drift = numpyro.sample("drift", dist.Normal(0.0, 0.1))
    sigma = numpyro.sample("sigma", dist.HalfNormal(0.3))
    start = numpyro.sample("start", dist.Normal(5.0, 1.0))

    def year(now, seen):
        now = numpyro.sample("level", dist.Normal(now + drift, sigma))
        numpyro.sample("seen", dist.Normal(now, 0.2), obs=seen)
        return now, None

    last, _ = scan(year, start, log_count)
    numpyro.deterministic("ahead", forecast(last, drift, sigma, 10))


draw = np.random.default_rng(10)
arguments = (jnp.asarray(5 + draw.normal(0, 0.2, 30).cumsum()),)
