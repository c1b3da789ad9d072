"""censored survival"""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(x, time, event):
    a = numpyro.sample("a", dist.Normal(0, 1))
    b = numpyro.sample("b", dist.Normal(0, 1))
    k = numpyro.sample("k", dist.LogNormal(0, 0.3))
    lam = jnp.exp(a + b * x)
    with numpyro.plate("n", len(time)):
        logh = jnp.log(k) + (k - 1) * jnp.log(time / lam) - jnp.log(lam)
        numpyro.factor("ll", event * logh - (time / lam) ** k)


x = rng.normal(size=70)
arguments = (x, rng.weibull(1.3, size=70) * np.exp(0.3 * x) + 0.05, rng.integers(0, 2, size=70))
