"""negative binomial with an offset"""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(x, exposure, y):
    a = numpyro.sample("a", dist.Normal(0, 1))
    b = numpyro.sample("b", dist.Normal(0, 1))
    conc = numpyro.sample("conc", dist.Gamma(3, 1))
    with numpyro.plate("n", len(y)):
        mu = jnp.exp(a + b * x + jnp.log(exposure))
        numpyro.sample("y", dist.NegativeBinomial2(mu, conc), obs=y)


x = rng.normal(size=60)
e = rng.uniform(1, 20, size=60)
arguments = (x, e, rng.poisson(e * np.exp(0.3 * x)))
