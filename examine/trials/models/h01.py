"""numbers: log(1-exp(-h)) for rare events"""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(x, n, k):
    a = numpyro.sample("a", dist.Normal(-17.0, 1.0))
    b = numpyro.sample("b", dist.Normal(0.0, 0.5))
    h = jnp.exp(a + b * x)
    logp = jnp.log(1 - jnp.exp(-h))
    numpyro.factor("ll", jnp.sum(k * logp - (n - k) * h))


x = rng.normal(size=40)
arguments = (x, np.full(40, 2_000_000), rng.poisson(2e6 * np.exp(-16 + 0.4 * x)))
