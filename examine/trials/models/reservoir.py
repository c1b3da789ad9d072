"""Turbidity at seven intakes on seven days, softplus of a normal around the day's level."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.contrib.control_flow import scan
from numpyro.distributions.transforms import SoftplusTransform
from numpyro.infer.util import log_density


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


def shown():
    at = {"wash": 0.5, "sigma": 1.0}
    got = log_density(model, arguments, {}, at)[1]["turbidity"]
    levels, level = [], 1.0
    for wet in rain:
        level = 0.6 * level + 0.5 * wet
        levels.append(level)
    base = dist.Normal(jnp.asarray(levels)[:, None] * jnp.ones(7), 1.0)
    law = dist.TransformedDistribution(base, SoftplusTransform())
    return float(got["fn"].log_prob(got["value"]).sum()), float(law.log_prob(arguments[1]).sum())
