"""shapes: -1 as a label of unknown region"""

import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(region, y, n_regions):
    mu = numpyro.sample("mu", dist.Normal(0, 3))
    with numpyro.plate("region", n_regions):
        effect = numpyro.sample("effect", dist.Normal(0, 1))
    s = numpyro.sample("s", dist.HalfNormal(1))
    with numpyro.plate("n", len(y)):
        numpyro.sample("y", dist.Normal(mu + effect[region], s), obs=y)


region = rng.choice([-1, 0, 1, 2, 3, 4], size=90)
arguments = (region, rng.normal(size=90), 5)
