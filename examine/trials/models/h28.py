"""support: labels from 1 for a Categorical"""

import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(X, label):
    with numpyro.plate("class", 4):
        b0 = numpyro.sample("b0", dist.Normal(0, 1))
        w = numpyro.sample("w", dist.Normal(0, 1).expand([3]).to_event(1))
    with numpyro.plate("n", len(label)):
        numpyro.sample("label", dist.Categorical(logits=b0 + X @ w.T), obs=label)


arguments = (rng.normal(size=(70, 3)), rng.integers(1, 5, size=70))
