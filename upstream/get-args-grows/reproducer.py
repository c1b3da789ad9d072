"""The arguments of a distribution, before and after a read. Exits 1 while they are not its arguments."""

import sys

import jax.numpy as jnp

import numpyro
import numpyro.distributions as dist

belief = dist.MultivariateNormal(jnp.zeros(2), scale_tril=jnp.eye(2))
before = sorted(belief.get_args())
belief.covariance_matrix  # noqa: B018
after = sorted(belief.get_args())
made = dist.MultivariateNormal(jnp.zeros(2), covariance_matrix=jnp.eye(2))
try:
    dist.MultivariateNormal(**made.get_args())
    copied = "copied"
except ValueError as error:
    copied = str(error)
print("numpyro", numpyro.__version__)
print("before the read", before)
print("after the read ", after)
print("a copy by its arguments:", copied)
sys.exit(int(before != after or copied != "copied"))
