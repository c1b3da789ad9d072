"""A dose-response curve with a power, where the control received no dose at all."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist


def model(dose, cells):
    top = numpyro.sample("top", dist.LogNormal(1.0, 0.3))
    power = numpyro.sample("power", dist.LogNormal(0.0, 0.4))
    half = numpyro.sample("half", dist.LogNormal(0.0, 0.5))
    ratio = jnp.where(dose > 0, jnp.exp(power * jnp.log(dose / half)), 0.0)
    mean = top * ratio / (1 + ratio)
    sigma = numpyro.sample("sigma", dist.HalfNormal(0.5))
    with numpyro.plate("wells", dose.shape[0]):
        numpyro.sample("cells", dist.Normal(mean, sigma), obs=cells)


draw = np.random.default_rng(27)
dose = jnp.asarray(np.repeat([0.0, 0.1, 0.3, 1.0, 3.0, 10.0], 4))
arguments = dose, jnp.asarray(draw.normal(1.0, 0.5, 24))
