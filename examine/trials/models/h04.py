"""numbers: softmax without max"""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def softmax(v):
    e = jnp.exp(v)
    return e / e.sum(-1, keepdims=True)


def model(X, choice):
    with numpyro.plate("f", 3):
        w = numpyro.sample("w", dist.Normal(0.0, 1.0))
    p = softmax(X @ w)
    with numpyro.plate("n", len(choice)):
        numpyro.sample("choice", dist.Categorical(probs=p), obs=choice)


arguments = (rng.normal(0, 40, size=(80, 4, 3)), rng.integers(0, 4, size=80))
