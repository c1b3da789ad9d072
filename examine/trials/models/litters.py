"""Weights of pups in six litters; each litter is a seeded submodel, written once."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro import handlers


def litter(mother, size):
    vigour = numpyro.sample("vigour", dist.Normal(mother, 0.2))
    return vigour - 0.05 * (size - 8)


one_litter = handlers.seed(litter, rng_seed=3)


def model(size, mean_weight):
    mother = numpyro.sample("mother", dist.Normal(6.0, 0.5))
    sigma = numpyro.sample("sigma", dist.HalfNormal(0.5))
    expected = []
    for i in range(6):
        with handlers.scope(prefix=f"litter{i}"):
            expected.append(one_litter(mother, size[i]))
    with numpyro.plate("litters", 6):
        numpyro.sample("weight", dist.Normal(jnp.stack(expected), sigma), obs=mean_weight)


draw = np.random.default_rng(14)
arguments = jnp.asarray(draw.integers(5, 12, 6)), jnp.asarray(draw.normal(6, 0.4, 6))
