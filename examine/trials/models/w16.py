"""measurement error"""

import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(x_obs, y):
    a = numpyro.sample("a", dist.Normal(0, 2))
    b = numpyro.sample("b", dist.Normal(0, 2))
    s = numpyro.sample("s", dist.HalfNormal(1))
    with numpyro.plate("n", len(y)):
        x = numpyro.sample("x", dist.Normal(0, 1))
        numpyro.sample("x_obs", dist.Normal(x, 0.3), obs=x_obs)
        numpyro.sample("y", dist.Normal(a + b * x, s), obs=y)


x = rng.normal(size=30)
arguments = (x + 0.3 * rng.normal(size=30), 1 + x)
