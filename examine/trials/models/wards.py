"""Infections in twelve wards, and a new outbreak simulated for each ward by vmap."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro import handlers


def outbreak(rate):
    """The relative size of one ward's outbreak."""
    surprise = numpyro.sample("surprise", dist.Normal(0.0, 1.0))
    return rate * jnp.exp(0.3 * surprise)


def model(beds, infections):
    level = numpyro.sample("level", dist.Normal(-3.0, 1.0))
    tau = numpyro.sample("tau", dist.HalfNormal(0.7))
    with numpyro.plate("wards", beds.shape[0]):
        effect = numpyro.sample("effect", dist.Normal(0.0, 1.0))
        rate = jnp.exp(level + tau * effect) * beds
        numpyro.sample("infections", dist.Poisson(rate), obs=infections)
    with handlers.block(), handlers.seed(rng_seed=numpyro.prng_key()):
        sizes = jax.vmap(outbreak)(rate)
    numpyro.deterministic("sizes", sizes)


draw = np.random.default_rng(12)
arguments = jnp.asarray(draw.integers(10, 60, 12)), jnp.asarray(draw.poisson(2, 12))
