"""AR(1) by numpyro's scan"""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)

from numpyro.contrib.control_flow import scan


def model(y):
    phi = numpyro.sample("phi", dist.Uniform(-1, 1))
    s = numpyro.sample("s", dist.HalfNormal(1))

    def step(prev, yt):
        numpyro.sample("y", dist.Normal(phi * prev, s), obs=yt)
        return yt, None

    scan(step, jnp.asarray(y[0]), y[1:])


y = np.zeros(60, np.float32)
for t in range(1, 60):
    y[t] = 0.7 * y[t - 1] + rng.normal()
arguments = (y,)
