"""smooth change point"""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(counts):
    n = len(counts)
    tau = numpyro.sample("tau", dist.Uniform(0, n))
    with numpyro.plate("regime", 2):
        rate = numpyro.sample("rate", dist.Gamma(2.0, 1.0))
    w = jax.nn.sigmoid((jnp.arange(n) - tau) / 2.0)
    with numpyro.plate("year", n):
        numpyro.sample("counts", dist.Poisson(rate[0] * (1 - w) + rate[1] * w), obs=counts)


arguments = (np.concatenate([rng.poisson(3.0, 40), rng.poisson(1.0, 70)]),)
