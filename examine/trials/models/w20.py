"""Kalman filter of a local level"""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(y):
    q = numpyro.sample("q", dist.HalfNormal(1))
    r = numpyro.sample("r", dist.HalfNormal(1))

    def step(c, yt):
        m, P = c
        P = P + q**2
        S = P + r**2
        K = P / S
        ll = dist.Normal(m, jnp.sqrt(S)).log_prob(yt)
        return (m + K * (yt - m), (1 - K) * P), ll

    _, ll = jax.lax.scan(step, (0.0, 10.0), y)
    numpyro.factor("ll", ll.sum())


arguments = (np.cumsum(rng.normal(size=50)).astype(np.float32),)
