"""gradients: sqrt at zero in a Matern kernel"""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def kernel(X, var, length):
    r = jnp.sqrt(jnp.sum(((X[:, None] - X[None]) / length) ** 2, -1))
    return var * (1 + np.sqrt(3) * r) * jnp.exp(-np.sqrt(3) * r)


def model(X, y):
    var = numpyro.sample("var", dist.HalfNormal(1.0))
    length = numpyro.sample("length", dist.InverseGamma(4.0, 3.0))
    noise = numpyro.sample("noise", dist.HalfNormal(0.5))
    K = kernel(X, var, length) + (noise**2 + 1e-4) * jnp.eye(len(y))
    numpyro.sample("y", dist.MultivariateNormal(jnp.zeros(len(y)), K), obs=y)


arguments = (rng.uniform(0, 4, size=(25, 2)), rng.normal(size=25))
