"""Claims by district; the table of exposures is corrected in place between two fits."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist

draw = np.random.default_rng(9)
exposure = draw.uniform(10.0, 90.0, 40)
district = draw.integers(0, 5, 40)


def offsets():
    """The log exposures, compiled anew each time."""
    return jax.jit(lambda: jnp.log(jnp.asarray(exposure)))


first = offsets()
total = first().sum()
exposure[:20] *= 12.0  # these had been given by month


def model(district, claims):
    level = numpyro.sample("level", dist.Normal(-2.0, 1.0))
    tau = numpyro.sample("tau", dist.HalfNormal(0.5))
    with numpyro.plate("districts", 5):
        effect = numpyro.sample("effect", dist.Normal(level, tau))
    rate = jnp.exp(effect[district] + offsets()())
    with numpyro.plate("policies", claims.shape[0]):
        numpyro.sample("claims", dist.Poisson(rate), obs=claims)


arguments = jnp.asarray(district), jnp.asarray(draw.poisson(6, 40))
