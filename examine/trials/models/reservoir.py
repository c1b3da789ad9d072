"""Turbidity at seven intakes on seven days, softplus of a normal around the day's level."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.contrib.control_flow import scan
from numpyro.distributions.transforms import SoftplusTransform


def model(rain, turbidity):
    wash = numpyro.sample("wash", dist.Normal(0.5, 0.3))
    sigma = numpyro.sample("sigma", dist.HalfNormal(1.0))

    def day(level, inputs):
        wet, seen = inputs
        level = 0.6 * level + wash * wet
        law = dist.TransformedDistribution(dist.Normal(level, sigma), SoftplusTransform())
        with numpyro.plate("intakes", 7):
            numpyro.sample("turbidity", law, obs=seen)
        return level, None

    scan(day, 1.0, (rain, turbidity))


draw = np.random.default_rng(15)
rain = draw.exponential(2.0, 7)
arguments = jnp.asarray(rain), jnp.asarray(np.log1p(np.exp(draw.normal(2, 1, (7, 7)))))
