"""state: minibatches from a generator inside the model"""

import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def batches(x, y, size=20):
    while True:
        i = rng.integers(0, len(y), size)
        yield x[i], y[i]


x = rng.normal(size=200)
stream = batches(x, 2 * x + rng.normal(size=200))


def model():
    b = numpyro.sample("b", dist.Normal(0, 3))
    xb, yb = next(stream)
    with numpyro.plate("n", 200, subsample_size=20):
        numpyro.sample("y", dist.Normal(b * xb, 1.0), obs=yb)


arguments = ()
