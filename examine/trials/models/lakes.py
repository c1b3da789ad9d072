"""Phosphorus in lakes in NumPyro's scan: the plate's axis is in each parameter of each law."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.contrib.control_flow import scan


class Lakes:
    """A model as an object, which holds its settings and remembers nothing."""

    def __init__(self, lakes, memory):
        self.lakes, self.memory = lakes, memory

    def __call__(self, inflow, phosphorus):
        gain = numpyro.sample("gain", dist.LogNormal(0.0, 0.3))
        sigma = numpyro.sample("sigma", dist.HalfNormal(0.4))
        ones = jnp.ones(self.lakes)

        def year(level, inputs):
            water, seen = inputs
            level = self.memory * level + gain * water
            with numpyro.plate("lakes", self.lakes):
                law = dist.LogNormal(level * ones, sigma * ones)
                numpyro.sample("phosphorus", law, obs=seen)
            return level, None

        scan(year, jnp.zeros(()), (inflow, phosphorus))


draw = np.random.default_rng(130)
model = Lakes(5, 0.7)
arguments = jnp.asarray(draw.uniform(0, 1, 8)), jnp.asarray(np.exp(draw.normal(0.5, 0.5, (8, 5))))
