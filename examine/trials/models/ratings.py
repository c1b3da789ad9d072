"""Two plates of one size around ratings that have one row: each judge counts all of them."""

import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(53)


def model(rating):
    n = len(rating)
    mean = numpyro.sample("mean", dist.Normal(0.0, 3.0))
    with numpyro.plate("judge", n, dim=-2):
        severity = numpyro.sample("severity", dist.Normal(0.0, 1.0))
        with numpyro.plate("dish", n, dim=-1):
            numpyro.sample("rating", dist.Normal(mean - severity, 1.0), obs=rating)


arguments = (rng.normal(3.0, 1.0, size=15),)
