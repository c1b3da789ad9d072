"""Melt at four stakes over four summers: a stake has its own base, and the summer shifts all."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.contrib.control_flow import scan
from numpyro.distributions.transforms import AffineTransform


def model(warmth, melt):
    with numpyro.plate("each", 4):
        height = numpyro.sample("height", dist.Normal(0.0, 1.0))
    gain = numpyro.sample("gain", dist.HalfNormal(2.0))

    def summer(carry, inputs):
        warm, seen = inputs
        base = dist.Normal(height, 0.5)
        law = dist.TransformedDistribution(base, AffineTransform(gain * warm, 1.0))
        with numpyro.plate("stakes", 4):
            numpyro.sample("melt", law, obs=seen)
        return carry, None

    scan(summer, None, (warmth, melt))


draw = np.random.default_rng(16)
warmth = np.array([0.2, 1.0, 1.9, 3.1])
melt = warmth[:, None] * 1.5 + draw.normal(0, 0.6, (4, 4))
arguments = jnp.asarray(warmth), jnp.asarray(melt)
