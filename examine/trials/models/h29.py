"""support: logits given as probabilities"""

import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(X, bought):
    b0 = numpyro.sample("b0", dist.Normal(0, 1))
    with numpyro.plate("f", 2):
        w = numpyro.sample("w", dist.Normal(0, 1))
    with numpyro.plate("n", len(bought)):
        numpyro.sample("bought", dist.Bernoulli(b0 + X @ w), obs=bought)


arguments = (rng.normal(size=(60, 2)), rng.integers(0, 2, size=60))
