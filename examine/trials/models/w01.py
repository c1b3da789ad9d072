"""hierarchical regression, noncentred"""

import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(g, x, y, G):
    mu = numpyro.sample("mu", dist.Normal(0, 5))
    tau = numpyro.sample("tau", dist.HalfNormal(2))
    b = numpyro.sample("b", dist.Normal(0, 2))
    with numpyro.plate("G", G):
        z = numpyro.sample("z", dist.Normal(0, 1))
    s = numpyro.sample("s", dist.Exponential(1.0))
    with numpyro.plate("n", len(y)):
        numpyro.sample("y", dist.Normal(mu + tau * z[g] + b * x, s), obs=y)


g = rng.integers(0, 6, size=90)
x = rng.normal(size=90)
arguments = (g, x, g / 3 + x + rng.normal(size=90), 6)
