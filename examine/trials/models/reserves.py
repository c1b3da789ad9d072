"""Reserves for claims, developed from the last quarter back to the first."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.contrib.control_flow import scan


def model(paid):
    tail = numpyro.sample("tail", dist.Normal(6.0, 0.5))
    decay = numpyro.sample("decay", dist.Normal(0.2, 0.1))
    sigma = numpyro.sample("sigma", dist.HalfNormal(0.3))

    def quarter(later, seen):
        open_now = numpyro.sample("open", dist.Normal(later + decay, sigma))
        numpyro.sample("paid", dist.LogNormal(open_now, 0.2), obs=seen)
        return open_now, open_now

    scan(quarter, tail, paid, reverse=True)


draw = np.random.default_rng(21)
opened = np.linspace(8.0, 6.2, 9)
arguments = (jnp.asarray(np.exp(opened + draw.normal(0, 0.2, 9))),)
