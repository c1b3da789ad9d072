"""Yields of three varieties on two soils in three years, log-normal around the year's level."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.contrib.control_flow import scan
from numpyro.distributions.transforms import ExpTransform


def model(yields):
    spread = numpyro.sample("spread", dist.HalfNormal(1.0))
    with numpyro.plate("soil", 2):
        soil = numpyro.sample("soil_effect", dist.Normal(0.0, 0.3))

    def year(level, seen):
        level = numpyro.sample("level", dist.Normal(level, 1.0))
        base = dist.Normal(level + soil, spread)
        with numpyro.plate("varieties", 3, dim=-2), numpyro.plate("soils", 2, dim=-1):
            law = dist.TransformedDistribution(base, ExpTransform())
            numpyro.sample("yield", law, obs=seen)
        return level, None

    scan(year, 0.0, yields)


draw = np.random.default_rng(17)
levels = np.array([0.0, 1.0, 3.0])
yields = np.exp(levels[:, None, None] + draw.normal(0, 0.4, (3, 3, 2)))
arguments = (jnp.asarray(yields),)
