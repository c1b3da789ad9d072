"""plates: a summed factor inside a plate"""

import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(x, y):
    a = numpyro.sample("a", dist.Normal(0, 2))
    b = numpyro.sample("b", dist.Normal(0, 2))
    with numpyro.plate("n", len(y)):
        ll = dist.StudentT(4.0, a + b * x, 1.0).log_prob(y)
        numpyro.factor("ll", ll.sum())


x = rng.normal(size=50)
arguments = (x, x + rng.standard_t(4, size=50))
