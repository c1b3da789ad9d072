"""keys: the same key at each step of a scan"""

import jax
import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def simulate(key, drift, n):
    def step(level, _):
        level = level + drift + 0.3 * jax.random.normal(key)
        return level, level

    return jax.lax.scan(step, 0.0, None, length=n)[1]


def model(y, seed):
    drift = numpyro.sample("drift", dist.Normal(0, 0.2))
    s = numpyro.sample("s", dist.HalfNormal(1.0))
    path = simulate(jax.random.PRNGKey(seed), drift, len(y))
    with numpyro.plate("t", len(y)):
        numpyro.sample("y", dist.Normal(path, s), obs=y)


arguments = (np.cumsum(rng.normal(0.1, 0.3, size=50)), 3)
