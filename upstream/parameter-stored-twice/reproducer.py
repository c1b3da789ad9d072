"""The slope of a log density with respect to the distribution. Exits 1 while it is zero."""

import sys

import jax
import jax.numpy as jnp

import numpyro
import numpyro.distributions as dist

slope = jax.grad(lambda d: d.log_prob(3.0))(dist.HalfNormal(2.0)).scale
expected = 3.0**2 / 2.0**3 - 1 / 2.0
print("numpyro", numpyro.__version__)
print("slope with respect to the scale", slope, "by hand", expected)
sys.exit(int(not jnp.allclose(slope, expected)))
