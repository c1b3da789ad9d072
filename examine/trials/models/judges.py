"""Whole: judges and dishes in two plates, with a rating for each pair."""

import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(53)


def model(rating):
    judges, dishes = rating.shape
    judge = numpyro.plate("judge", judges, dim=-2)
    dish = numpyro.plate("dish", dishes, dim=-1)
    with judge:
        severity = numpyro.sample("severity", dist.Normal(0.0, 1.0))
    with dish:
        taste = numpyro.sample("taste", dist.Normal(0.0, 1.0))
    with judge, dish:
        numpyro.sample("rating", dist.Normal(taste - severity, 1.0), obs=rating)


arguments = (rng.normal(3.0, 1.0, size=(6, 6)),)
