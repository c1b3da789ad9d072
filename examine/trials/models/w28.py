"""one compartment, oral dose"""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(time, conc, dose):
    ka = numpyro.sample("ka", dist.LogNormal(0.3, 0.3))
    ke = numpyro.sample("ke", dist.LogNormal(-2.0, 0.3))
    V = numpyro.sample("V", dist.LogNormal(3.0, 0.3))
    s = numpyro.sample("s", dist.HalfNormal(0.3))
    mean = dose * ka / (V * (ka - ke)) * (jnp.exp(-ke * time) - jnp.exp(-ka * time))
    with numpyro.plate("t", len(time)):
        numpyro.sample("conc", dist.LogNormal(jnp.log(mean), s), obs=conc)


t = np.array([0.5, 1, 2, 4, 6, 8, 12, 24.0])
arguments = (t, 5 * (np.exp(-0.13 * t) - np.exp(-1.3 * t)) + 0.05, 100.0)
