"""The same density, computed by `vmap`: outside of the support. Exits 1 while it is finite."""

import sys

import jax
import jax.numpy as jnp

import numpyro
import numpyro.distributions as dist

uniform = dist.Uniform(jnp.zeros(2), jnp.ones(2))
value = jnp.full(2, 5.0)  # far outside
alone = uniform.log_prob(value)
copied = jax.tree.map(lambda leaf: leaf, uniform).log_prob(value)
print("numpyro", numpyro.__version__)
print("log density of the distribution", alone)
print("log density of its copy        ", copied)
sys.exit(int(not jnp.array_equal(alone, copied)))
