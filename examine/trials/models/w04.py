"""mixture, marginalised"""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(y):
    w = numpyro.sample("w", dist.Dirichlet(jnp.ones(3)))
    with numpyro.plate("k", 3):
        mu = numpyro.sample("mu", dist.Normal(0, 5))
        s = numpyro.sample("s", dist.HalfNormal(2))
    with numpyro.plate("n", len(y)):
        numpyro.sample("y", dist.MixtureSameFamily(dist.Categorical(w), dist.Normal(mu, s)), obs=y)


arguments = (np.concatenate([rng.normal(m, 0.7, 20) for m in (-3, 0, 4)]),)
