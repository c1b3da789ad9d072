"""The gradient of a mixture with respect to its weights, one of which is zero."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro.distributions as dist


def log_prob(weights):
    parts = dist.Normal(jnp.array([0.0, 1.0, 2.0]), 1.0)
    return dist.MixtureSameFamily(dist.Categorical(probs=weights), parts).log_prob(0.5)


got = np.asarray(jax.grad(log_prob)(jnp.array([0.0, 0.5, 0.5])))
wrong = np.isnan(got)
print(wrong.sum(), "of", wrong.size)
