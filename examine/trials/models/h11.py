"""gradients: hard assignment by argmax"""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(y):
    with numpyro.plate("k", 3):
        mu = numpyro.sample("mu", dist.Normal(0, 3))
    with numpyro.plate("n", len(y)):
        scores = numpyro.sample("scores", dist.Normal(0, 1).expand([3]).to_event(1))
        z = jnp.argmax(scores, -1)
        numpyro.sample("y", dist.Normal(mu[z], 0.7), obs=y)


arguments = (np.concatenate([rng.normal(m, 0.7, 15) for m in (-3, 0, 4)]),)
