"""A deterministic site of a guide, at new arguments. Exits 1 while it is that of the old ones."""

import sys

import jax
import jax.numpy as jnp

import numpyro
import numpyro.distributions as dist
from numpyro.infer.autoguide import AutoNormal


def growth(days, observed=None):
    rate = numpyro.sample("rate", dist.Normal(0.0, 5.0))
    height = numpyro.deterministic("height", rate * days)
    numpyro.sample("observed", dist.Normal(height, 1.0), obs=observed)


guide = AutoNormal(growth)
numpyro.handlers.seed(guide, 0)(jnp.array([1.0, 2.0]), jnp.array([2.0, 4.0]))
params = {"rate_auto_loc": 2.0, "rate_auto_scale": 0.1}
new_days = jnp.array([10.0, 20.0, 30.0])
draw = guide.sample_posterior(jax.random.key(1), params, new_days)
print("numpyro", numpyro.__version__)
print("heights ", draw["height"])
print("expected", draw["rate"] * new_days)
same_shape = draw["height"].shape == new_days.shape
sys.exit(
    int(not (same_shape and jnp.allclose(draw["height"], draw["rate"] * new_days)))
)
