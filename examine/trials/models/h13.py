"""shapes: data frame column as (n,1) inside a plate"""

import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(temp, sales):
    a = numpyro.sample("a", dist.Normal(0, 5))
    b = numpyro.sample("b", dist.Normal(0, 5))
    s = numpyro.sample("s", dist.Exponential(1.0))
    with numpyro.plate("day", temp.shape[0]):
        numpyro.sample("sales", dist.Normal(a + b * temp, s), obs=sales)


temp = rng.normal(size=35)
arguments = (temp, (2 + temp + 0.2 * rng.normal(size=35))[:, None])
