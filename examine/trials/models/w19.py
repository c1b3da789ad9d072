"""robust regression"""

import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(x, y):
    a = numpyro.sample("a", dist.Normal(0, 2))
    b = numpyro.sample("b", dist.Normal(0, 2))
    nu = numpyro.sample("nu", dist.Gamma(2.0, 0.1))
    s = numpyro.sample("s", dist.HalfCauchy(1))
    with numpyro.plate("n", len(y)):
        numpyro.sample("y", dist.StudentT(nu, a + b * x, s), obs=y)


x = rng.normal(size=50)
arguments = (x, x + rng.standard_t(3, size=50))
