"""Draws in float32, and their density in float64. Exits 1 while it is zero."""

import sys

import numpy as np

import jax
import jax.numpy as jnp

import numpyro
import numpyro.distributions as dist

priors = {
    "LKJCholesky": lambda: dist.LKJCholesky(3, 2.0),
    "LKJ": lambda: dist.LKJ(3, 2.0),
    "ZeroSumNormal": lambda: dist.ZeroSumNormal(1.0, (4,)),
}
print("numpyro", numpyro.__version__)
refused = 0
for name, prior in priors.items():
    with jax.enable_x64(False):
        saved = np.asarray(prior().sample(jax.random.key(0), (100,)))
    with jax.enable_x64(True):
        density = jax.vmap(prior().log_prob)(jnp.asarray(saved, float))
    impossible = int((density == -jnp.inf).sum())
    print(f"{name}: {impossible} of 100 draws have density zero")
    refused += impossible
sys.exit(int(refused > 0))
