"""unknown region handled"""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(region, y, R):
    mu = numpyro.sample("mu", dist.Normal(0, 3))
    with numpyro.plate("R", R):
        effect = numpyro.sample("effect", dist.Normal(0, 1))
    known = jnp.where(region >= 0, effect[jnp.maximum(region, 0)], 0.0)
    with numpyro.plate("n", len(y)):
        numpyro.sample("y", dist.Normal(mu + known, 1.0), obs=y)


arguments = (rng.choice([-1, 0, 1, 2, 3], size=60), rng.normal(size=60), 4)
