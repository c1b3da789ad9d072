"""An autoregression of order two in NumPyro's scan, several regions at once in a plate."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.contrib.control_flow import scan


def model(series):
    regions = series.shape[1]
    level = numpyro.sample("level", dist.Normal(0.0, 1.0))
    one = numpyro.sample("one", dist.Normal(0.6, 0.2))
    two = numpyro.sample("two", dist.Normal(0.1, 0.1))
    with numpyro.plate("each", regions):
        sigma = numpyro.sample("sigma", dist.HalfNormal(0.5))

    def quarter(past, seen):
        before, last = past
        mean = level + one * last + two * before
        with numpyro.plate("regions", regions):
            now = numpyro.sample("rate", dist.Normal(mean, sigma), obs=seen)
        return (last, now), None

    scan(quarter, (series[0], series[1]), series[2:])


draw = np.random.default_rng(103)
arguments = (jnp.asarray(draw.normal(0, 0.5, (24, 5)).cumsum(0)),)
