"""plates: to_event and a plate over the same axis"""

import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(x, y):
    a = numpyro.sample("a", dist.Normal(0, 2))
    b = numpyro.sample("b", dist.Normal(0, 2))
    s = numpyro.sample("s", dist.HalfNormal(2))
    with numpyro.plate("n", len(y)):
        numpyro.sample("y", dist.Normal(a + b * x, s).to_event(1), obs=y)


x = rng.normal(size=32)
arguments = (x, 1 + x + rng.normal(size=32))
