"""log-sum-exp by hand with a stopped maximum"""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def lse(v):
    m = jax.lax.stop_gradient(v.max(-1, keepdims=True))
    return (m + jnp.log(jnp.exp(v - m).sum(-1, keepdims=True)))[..., 0]


def model(y):
    with numpyro.plate("k", 2):
        mu = numpyro.sample("mu", dist.Normal(0, 4))
    w = numpyro.sample("w", dist.Beta(2, 2))
    logw = jnp.log(jnp.stack([w, 1 - w]))
    with numpyro.plate("n", len(y)):
        numpyro.factor("ll", lse(logw + dist.Normal(mu, 1.0).log_prob(y[:, None])))


arguments = (np.concatenate([rng.normal(-2, 1, 30), rng.normal(2, 1, 30)]),)
