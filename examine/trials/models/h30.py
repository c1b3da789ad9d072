"""support: a scale that can be negative"""

import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(x, y):
    a = numpyro.sample("a", dist.Normal(0, 2))
    b = numpyro.sample("b", dist.Normal(0, 2))
    s0 = numpyro.sample("s0", dist.Normal(0.5, 0.5))
    s1 = numpyro.sample("s1", dist.Normal(0, 0.5))
    with numpyro.plate("n", len(y)):
        numpyro.sample("y", dist.Normal(a + b * x, s0 + s1 * x), obs=y)


x = rng.uniform(0, 2, size=60)
arguments = (x, x + (0.3 + 0.2 * x) * rng.normal(size=60))
