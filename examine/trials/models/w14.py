"""subsampling"""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(x, y):
    a = numpyro.sample("a", dist.Normal(0, 2))
    b = numpyro.sample("b", dist.Normal(0, 2))
    with numpyro.plate("n", len(y), subsample_size=50) as i:
        numpyro.sample("y", dist.Normal(a + b * x[i], 1.0), obs=y[i])


x = jnp.asarray(np.sort(rng.normal(size=400)))
arguments = (x, jnp.asarray(1 + x + rng.normal(size=400)))
