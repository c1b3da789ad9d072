"""A reversed scan, conditioned on a series. Exits 1 while it takes the series back to front."""

import sys

import jax.numpy as jnp

import numpyro
from numpyro import handlers
from numpyro.contrib.control_flow import scan
import numpyro.distributions as dist

xs = jnp.arange(5.0)


def step(carry, x):
    return carry, (x, numpyro.sample("level", dist.Normal(x, 1.0)))


def model():
    return scan(step, None, xs, reverse=True)[1]


used_xs, used_levels = handlers.seed(handlers.condition(model, {"level": 10 * xs}), 0)()
print("numpyro", numpyro.__version__)
print("items of xs ", used_xs)
print("levels given", 10 * xs)
print("levels used ", used_levels)
sys.exit(int(not jnp.array_equal(used_levels, 10 * used_xs)))
