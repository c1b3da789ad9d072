"""A kernel regression on random features; the frequencies are drawn once, outside the model."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from jax import random

key_w, key_b = random.split(random.PRNGKey(116))
FREQUENCY = random.normal(key_w, (2, 30))
PHASE = random.uniform(key_b, (30,), maxval=2 * jnp.pi)


@jax.jit
def features(x, scale):
    return jnp.sqrt(2 / 30) * jnp.cos(x @ FREQUENCY / scale + PHASE)


def model(x, y):
    scale = numpyro.sample("scale", dist.LogNormal(0.0, 0.5))
    size = numpyro.sample("size", dist.HalfNormal(1.0))
    weight = numpyro.sample("weight", dist.Normal(0.0, 1.0).expand([30]).to_event(1))
    sigma = numpyro.sample("sigma", dist.HalfNormal(0.5))
    with numpyro.plate("rows", x.shape[0]):
        mean = size * features(x, scale) @ weight
        numpyro.sample("y", dist.Normal(mean, sigma), obs=y)


draw = np.random.default_rng(116)
arguments = jnp.asarray(draw.normal(size=(40, 2))), jnp.asarray(draw.normal(size=40))
