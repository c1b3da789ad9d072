"""keys: one key for two noises"""

import jax
import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(y):
    mu = numpyro.sample("mu", dist.Normal(0, 2))
    key = numpyro.prng_key()
    if key is None:
        key = jax.random.PRNGKey(7)
    jitter = jax.random.normal(key, (30,))
    drop = jax.random.normal(key, (30,))
    with numpyro.plate("n", 30):
        numpyro.sample("y", dist.Normal(mu + 0.1 * jitter - 0.1 * drop, 1.0), obs=y)


arguments = (rng.normal(size=30),)
