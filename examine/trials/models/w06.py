"""zero-inflated Poisson"""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(x, y):
    a = numpyro.sample("a", dist.Normal(0, 1))
    b = numpyro.sample("b", dist.Normal(0, 1))
    gate = numpyro.sample("gate", dist.Beta(2, 2))
    with numpyro.plate("n", len(y)):
        numpyro.sample("y", dist.ZeroInflatedPoisson(gate, jnp.exp(a + b * x)), obs=y)


x = rng.normal(size=80)
arguments = (x, rng.poisson(np.exp(0.5 + 0.3 * x)) * rng.integers(0, 2, size=80))
