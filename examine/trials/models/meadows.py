"""The part of a meadow that clover covers, in per cent by hundred; some have none."""

import jax
import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(53)


def model(light, cover):
    a = numpyro.sample("a", dist.Normal(0.0, 1.0))
    b = numpyro.sample("b", dist.Normal(0.0, 1.0))
    k = numpyro.sample("k", dist.Gamma(4.0, 1.0))
    mean = jax.nn.sigmoid(a + b * light)
    with numpyro.plate("meadow", len(cover)):
        numpyro.sample("cover", dist.Beta(1 + mean * k, 1 + (1 - mean) * k), obs=cover)


cover = np.round(rng.beta(0.4, 2.0, size=30), 2)
cover[:3] = 0.0
arguments = rng.normal(size=30), cover
