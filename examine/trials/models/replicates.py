"""A check by replicated data: the same counts drawn again, compiled because there are many."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro import handlers


@jax.jit
def again(rate, concentration):
    return numpyro.sample("again", dist.GammaPoisson(concentration, concentration / rate))


draw = np.random.default_rng(11)
counts = jnp.asarray(draw.negative_binomial(3, 0.1, 50))
with handlers.seed(rng_seed=0):
    again(jnp.full(50, 25.0), jnp.asarray(3.0))  # tried once in the notebook


def model(treated, counts):
    level = numpyro.sample("level", dist.Normal(3.0, 1.0))
    effect = numpyro.sample("effect", dist.Normal(0.0, 0.5))
    concentration = numpyro.sample("concentration", dist.LogNormal(1.0, 0.5))
    rate = jnp.exp(level + effect * treated)
    with numpyro.plate("units", counts.shape[0]):
        law = dist.GammaPoisson(concentration, concentration / rate)
        numpyro.sample("counts", law, obs=counts)
    with handlers.block(), handlers.seed(rng_seed=numpyro.prng_key()):
        replicated = again(rate, concentration)
    numpyro.deterministic("largest", replicated.max())


arguments = jnp.asarray(draw.integers(0, 2, 50)), counts
