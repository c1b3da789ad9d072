"""numbers: int32 overflow of exposure"""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(population, days, deaths):
    person_days = jnp.asarray(population) * jnp.asarray(days)
    log_rate = numpyro.sample("log_rate", dist.Normal(-16.0, 1.0))
    mu = jnp.exp(log_rate) * person_days
    with numpyro.plate("c", len(deaths)):
        numpyro.sample("deaths", dist.Poisson(mu), obs=deaths)


population = np.array([5_300_000, 8_900_000, 67_000_000, 10_400_000, 83_000_000, 2_100_000])
arguments = (population, np.full(6, 365), rng.poisson(population * 365 * 1e-7))
