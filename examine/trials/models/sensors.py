"""Panel of sensors with gaps, which a mask leaves out of the likelihood."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro import handlers


def model(readings, present):
    hours, sensors = readings.shape
    with numpyro.plate("sensors", sensors, dim=-1):
        bias = numpyro.sample("bias", dist.Normal(0.0, 1.0))
    with numpyro.plate("hours", hours, dim=-2):
        truth = numpyro.sample("truth", dist.Normal(20.0, 5.0))
    sigma = numpyro.sample("sigma", dist.HalfNormal(1.0))
    hourly, each = numpyro.plate("hours", hours, dim=-2), numpyro.plate("sensors", sensors, dim=-1)
    with hourly, each, handlers.mask(mask=present):
        numpyro.sample("reading", dist.Normal(truth + bias, sigma), obs=readings)


draw = np.random.default_rng(105)
readings = draw.normal(20, 2, (10, 4))
present = draw.uniform(size=(10, 4)) < 0.8
arguments = jnp.where(present, jnp.asarray(readings), 0.0), jnp.asarray(present)
