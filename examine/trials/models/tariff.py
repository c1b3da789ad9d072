"""Demand for power against its price; the tariff was revised after the curve was compiled."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist

base_price = 0.21


@jax.jit
def relative(price):
    return jnp.log(price / base_price)


draw = np.random.default_rng(4)
price = jnp.asarray(draw.uniform(0.1, 0.5, 60))
month = jnp.asarray(draw.integers(0, 12, 60))
print_once = relative(price).mean()  # a first look at the data

base_price = 0.34  # the tariff of the new year


def model(price, month, demand=None):
    level = numpyro.sample("level", dist.Normal(5.0, 1.0))
    elasticity = numpyro.sample("elasticity", dist.Normal(-0.5, 0.5))
    with numpyro.plate("months", 12):
        season = numpyro.sample("season", dist.Normal(0.0, 0.3))
    mean = level + elasticity * relative(price) + season[month]
    noise = numpyro.sample("noise", dist.HalfNormal(0.5))
    with numpyro.plate("readings", price.shape[0]):
        numpyro.sample("demand", dist.LogNormal(mean, noise), obs=demand)


arguments = price, month, jnp.asarray(np.exp(draw.normal(5.0, 0.3, 60)))


def shown():
    return float(relative(price).mean()), float(jnp.log(price / base_price).mean())
