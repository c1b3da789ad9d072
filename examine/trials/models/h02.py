"""numbers: unix seconds in float32"""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(seconds, y):
    t = jnp.asarray(seconds)
    hours = (t - t[0]) / 3600
    amp = numpyro.sample("amp", dist.HalfNormal(2.0))
    phase = numpyro.sample("phase", dist.Uniform(0, 2 * np.pi))
    s = numpyro.sample("s", dist.HalfNormal(1.0))
    mean = amp * jnp.sin(2 * np.pi * hours / 0.1 + phase)
    with numpyro.plate("t", len(y)):
        numpyro.sample("y", dist.Normal(mean, s), obs=y)


seconds = 1.7e9 + np.sort(rng.uniform(0, 1800, size=60))
arguments = (seconds, np.sin(2 * np.pi * (seconds - seconds[0]) / 360) + 0.1 * rng.normal(size=60))
