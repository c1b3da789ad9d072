"""numbers: E[x^2]-E[x]^2"""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(readings):
    mu = numpyro.sample("mu", dist.Normal(10130.0, 20.0))
    s = numpyro.sample("s", dist.HalfNormal(5.0))
    readings = jnp.asarray(readings)
    m, m2, n = readings.mean(), (readings**2).mean(), readings.size
    # sufficient statistics: sum (x - mu)^2 = n (m2 - 2 mu m + mu^2)
    ss = n * (m2 - 2 * mu * m + mu**2)
    numpyro.factor("ll", -n * jnp.log(s) - 0.5 * ss / s**2)


arguments = (rng.normal(10132.0, 1.5, size=500),)
