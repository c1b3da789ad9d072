"""A sampler kept by a dashboard: today's readings replace yesterday's in the same buffer."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from jax import random
from numpyro.infer import MCMC, NUTS


def level(readings, truck):
    base = numpyro.sample("base", dist.Normal(0.0, 20.0))
    sigma = numpyro.sample("sigma", dist.HalfNormal(5.0))
    with numpyro.plate("trucks", 3):
        offset = numpyro.sample("offset", dist.Normal(0.0, 1.0))
    with numpyro.plate("readings", len(readings)):
        numpyro.sample("reading", dist.Normal(base + offset[truck], sigma), obs=readings)


draw = np.random.default_rng(31)
buffer, truck = draw.normal(2.0, 1.0, 24), jnp.asarray(draw.integers(0, 3, 24))
sampler = MCMC(NUTS(level), num_warmup=100, num_samples=100, progress_bar=False)
sampler.run(random.PRNGKey(0), buffer, truck)
buffer[:] = draw.normal(30.0, 1.0, 24)
model, arguments = sampler, (buffer, truck)
