"""plates: NaN data under a mask"""

import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(x, y):
    a = numpyro.sample("a", dist.Normal(0, 2))
    b = numpyro.sample("b", dist.Normal(0, 2))
    s = numpyro.sample("s", dist.HalfNormal(2))
    with numpyro.plate("n", len(y)), numpyro.handlers.mask(mask=~np.isnan(y)):
        numpyro.sample("y", dist.Normal(a + b * x, s), obs=y)


x = rng.normal(size=50)
y = x + rng.normal(size=50)
y[[3, 17, 40]] = np.nan
arguments = (x, y)
