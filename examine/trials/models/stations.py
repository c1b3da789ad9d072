"""Ground water at two wells, the same state space model for each under a prefix of its own."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro import handlers
from numpyro.contrib.control_flow import scan


def well(depth):
    memory = numpyro.sample("memory", dist.Beta(8.0, 2.0))
    sigma = numpyro.sample("sigma", dist.HalfNormal(1.0))

    def month(level, seen):
        level = numpyro.sample("level", dist.Normal(memory * level, sigma))
        numpyro.sample("depth", dist.Normal(level, 0.3), obs=seen)
        return level, None

    scan(month, depth[0], depth)


def model(north, south):
    for name, depth in (("north", north), ("south", south)):
        with handlers.scope(prefix=name):
            well(depth)


draw = np.random.default_rng(23)
arguments = tuple(jnp.asarray(draw.normal(0, 1, 24).cumsum()) for _ in range(2))
