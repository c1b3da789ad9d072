"""The arguments of a distribution, before and after a read. Exits 1 while a read adds one."""

import sys

import jax.numpy as jnp

import numpyro
import numpyro.distributions as dist

belief = dist.MultivariateNormal(jnp.zeros(2), scale_tril=jnp.eye(2))
before = sorted(belief.get_args())
belief.covariance_matrix  # noqa: B018
after = sorted(belief.get_args())
print("numpyro", numpyro.__version__)
print("before the read", before)
print("after the read ", after)
sys.exit(int(before != after))
