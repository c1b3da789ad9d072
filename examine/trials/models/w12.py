"""correlated slopes"""

import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(g, x, y, G):
    mu = numpyro.sample("mu", dist.Normal(0, 2).expand([2]).to_event(1))
    sd = numpyro.sample("sd", dist.HalfNormal(1).expand([2]).to_event(1))
    L = numpyro.sample("L", dist.LKJCholesky(2, 2.0))
    with numpyro.plate("G", G):
        ab = numpyro.sample("ab", dist.MultivariateNormal(mu, scale_tril=sd[:, None] * L))
    with numpyro.plate("n", len(y)):
        numpyro.sample("y", dist.Normal(ab[g, 0] + ab[g, 1] * x, 1.0), obs=y)


g = rng.integers(0, 7, size=100)
x = rng.normal(size=100)
arguments = (g, x, x + rng.normal(size=100), 7)
