"""shapes: (n,1) mean against (n,) data"""

import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(X, y):
    w = numpyro.sample("w", dist.Normal(0, 1).expand([X.shape[1], 1]).to_event(2))
    s = numpyro.sample("s", dist.HalfNormal(1.0))
    numpyro.sample("y", dist.Normal(X @ w, s), obs=y)


X = rng.normal(size=(40, 3))
arguments = (X, X @ [1.0, -1.0, 0.5] + 0.3 * rng.normal(size=40))
