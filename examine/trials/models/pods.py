"""Seeds that sprout, pod by pod: the likelihood is the product of all chances."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(53)


def model(depth, sprouted):
    a = numpyro.sample("a", dist.Normal(0.0, 1.0))
    b = numpyro.sample("b", dist.Normal(0.0, 1.0))
    chance = jax.nn.sigmoid(a + b * depth)
    each = jnp.where(sprouted, chance, 1 - chance)
    numpyro.factor("sprouted", jnp.log(jnp.prod(each)))


depth = rng.normal(size=400)
arguments = depth, rng.uniform(size=400) < 1 / (1 + np.exp(-depth))
