"""Survival after a transplant, Weibull, with patients who were still alive at the end."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist


def model(age, months, died):
    shape = numpyro.sample("shape", dist.LogNormal(0.0, 0.5))
    level = numpyro.sample("level", dist.Normal(3.0, 1.0))
    slope = numpyro.sample("slope", dist.Normal(0.0, 0.5))
    scale = jnp.exp(level + slope * age)
    hazard = jnp.log(shape / scale) + (shape - 1) * jnp.log(months / scale)
    survived = -((months / scale) ** shape)
    with numpyro.plate("patients", months.shape[0]):
        numpyro.factor("survival", jnp.where(died, hazard, 0.0) + survived)


draw = np.random.default_rng(111)
months = draw.weibull(1.2, 50) * 20
arguments = (
    jnp.asarray(draw.normal(size=50)),
    jnp.asarray(np.minimum(months, 30)),
    jnp.asarray(months < 30),
)
