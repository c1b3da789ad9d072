"""keys: numpy noise inside the model"""

import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(x, y):
    b = numpyro.sample("b", dist.Normal(0, 1))
    s = numpyro.sample("s", dist.HalfNormal(1))
    x_true = x + 0.3 * np.random.normal(size=x.shape)  # error in x
    with numpyro.plate("n", len(y)):
        numpyro.sample("y", dist.Normal(b * x_true, s), obs=y)


x = rng.normal(size=40)
arguments = (x, 1.5 * x + 0.2 * rng.normal(size=40))
