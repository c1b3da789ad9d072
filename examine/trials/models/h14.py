"""shapes: group ids from 1"""

import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(school, score, n_schools):
    mu = numpyro.sample("mu", dist.Normal(0, 5))
    tau = numpyro.sample("tau", dist.HalfNormal(2))
    with numpyro.plate("school", n_schools):
        theta = numpyro.sample("theta", dist.Normal(mu, tau))
    with numpyro.plate("pupil", len(score)):
        numpyro.sample("score", dist.Normal(theta[school], 1.0), obs=score)


school = rng.integers(1, 9, size=120)
arguments = (school, rng.normal(size=120) + school / 4, 8)
