"""Intercepts and slopes that vary together over subjects, with an LKJ prior."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist


def model(subject, days, reaction):
    mean = numpyro.sample("mean", dist.Normal(jnp.array([250.0, 10.0]), 20.0).to_event(1))
    spread = numpyro.sample("spread", dist.HalfNormal(jnp.array([40.0, 10.0])).to_event(1))
    corr = numpyro.sample("corr", dist.LKJCholesky(2, concentration=2.0))
    factor = spread[:, None] * corr
    with numpyro.plate("subjects", 10):
        both = numpyro.sample("both", dist.MultivariateNormal(mean, scale_tril=factor))
    line = both[subject, 0] + both[subject, 1] * days
    sigma = numpyro.sample("sigma", dist.HalfNormal(30.0))
    with numpyro.plate("rows", days.shape[0]):
        numpyro.sample("reaction", dist.Normal(line, sigma), obs=reaction)


draw = np.random.default_rng(112)
subject, days = np.repeat(np.arange(10), 8), np.tile(np.arange(8.0), 10)
arguments = subject, jnp.asarray(days), jnp.asarray(250 + 10 * days + draw.normal(0, 30, 80))
