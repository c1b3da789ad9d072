"""beta regression"""

import jax
import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(x, share):
    a = numpyro.sample("a", dist.Normal(0, 1))
    b = numpyro.sample("b", dist.Normal(0, 1))
    phi = numpyro.sample("phi", dist.Gamma(4, 0.2))
    mu = jax.nn.sigmoid(a + b * x)
    with numpyro.plate("n", len(share)):
        numpyro.sample("share", dist.Beta(mu * phi, (1 - mu) * phi), obs=share)


arguments = (rng.normal(size=40), rng.beta(2, 3, size=40))
