"""A latent that is drawn with a key of its own, handed to `sample`."""

import jax
import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(53)


def model(reading):
    level = numpyro.sample("level", dist.Normal(0.0, 3.0))
    drift = numpyro.sample("drift", dist.Normal(0.0, 0.5), rng_key=jax.random.PRNGKey(3))
    with numpyro.plate("reading", len(reading)):
        numpyro.sample("y", dist.Normal(level + drift, 1.0), obs=reading)


arguments = (rng.normal(2.0, 1.0, size=20),)
