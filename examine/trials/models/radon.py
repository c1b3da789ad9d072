"""Radon by county, with the counties' effects reparametrised by a handler."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro import handlers
from numpyro.infer.reparam import LocScaleReparam


@handlers.reparam(config={"county_effect": LocScaleReparam(0.0)})
def model(county, basement, log_radon):
    level = numpyro.sample("level", dist.Normal(1.0, 1.0))
    tau = numpyro.sample("tau", dist.HalfNormal(0.5))
    floor = numpyro.sample("floor", dist.Normal(0.0, 1.0))
    with numpyro.plate("counties", 9):
        effect = numpyro.sample("county_effect", dist.Normal(level, tau))
    sigma = numpyro.sample("sigma", dist.HalfNormal(1.0))
    with numpyro.plate("houses", county.shape[0]):
        mean = effect[county] + floor * basement
        numpyro.sample("log_radon", dist.Normal(mean, sigma), obs=log_radon)


draw = np.random.default_rng(114)
arguments = (
    draw.integers(0, 9, 70),
    jnp.asarray(draw.integers(0, 2, 70)),
    jnp.asarray(draw.normal(1.2, 0.8, 70)),
)
