"""Gaussian process with a safe distance"""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(X, y):
    var = numpyro.sample("var", dist.HalfNormal(1.0))
    length = numpyro.sample("length", dist.InverseGamma(4.0, 3.0))
    noise = numpyro.sample("noise", dist.HalfNormal(0.5))
    d2 = ((X[:, None] - X[None]) ** 2).sum(-1)
    K = var * jnp.exp(-0.5 * d2 / length**2) + (noise**2 + 1e-3) * jnp.eye(len(y))
    numpyro.sample("y", dist.MultivariateNormal(jnp.zeros(len(y)), K), obs=y)


arguments = (rng.uniform(0, 4, size=(25, 2)), rng.normal(size=25))
