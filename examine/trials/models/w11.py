"""horseshoe"""

import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(X, y):
    tau = numpyro.sample("tau", dist.HalfCauchy(0.1))
    with numpyro.plate("p", X.shape[1]):
        lam = numpyro.sample("lam", dist.HalfCauchy(1.0))
        z = numpyro.sample("z", dist.Normal(0, 1))
    s = numpyro.sample("s", dist.HalfNormal(1.0))
    with numpyro.plate("n", len(y)):
        numpyro.sample("y", dist.Normal(X @ (tau * lam * z), s), obs=y)


X = rng.normal(size=(50, 12))
arguments = (X, X[:, 0] * 2 + rng.normal(size=50))
