"""numbers: binomial with huge totals"""

import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(n, k):
    p = numpyro.sample("p", dist.Beta(2.0, 2.0))
    conc = numpyro.sample("conc", dist.LogNormal(12.0, 1.0))
    with numpyro.plate("d", len(k)):
        numpyro.sample("k", dist.BetaBinomial(p * conc, (1 - p) * conc, n), obs=k)


n = np.array([31_000_000, 54_000_000, 12_000_000, 88_000_000])
arguments = (n, rng.binomial(n, rng.beta(300000, 500000, size=4)))
