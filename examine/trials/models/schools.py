"""Effects of coaching in schools with predictors of the school, non-centred."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist


def model(size, error, effect=None):
    mu = numpyro.sample("mu", dist.Normal(0.0, 5.0))
    slope = numpyro.sample("slope", dist.Normal(0.0, 2.0))
    tau = numpyro.sample("tau", dist.HalfCauchy(5.0))
    with numpyro.plate("schools", size.shape[0]):
        raw = numpyro.sample("raw", dist.Normal(0.0, 1.0))
        theta = numpyro.deterministic("theta", mu + slope * size + tau * raw)
        numpyro.sample("effect", dist.Normal(theta, error), obs=effect)


draw = np.random.default_rng(101)
arguments = jnp.asarray(draw.normal(size=8)), jnp.asarray(draw.uniform(9, 18, 8))
keywords = {"effect": jnp.asarray(draw.normal(8, 12, 8))}
