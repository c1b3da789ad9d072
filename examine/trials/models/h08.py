"""gradients: stop_gradient left in"""

import jax
import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(x, y):
    a = numpyro.sample("a", dist.Normal(0, 2))
    b = numpyro.sample("b", dist.Normal(0, 2))
    s = numpyro.sample("s", dist.HalfNormal(1))
    trend = jax.lax.stop_gradient(b * x)  # was exploding, look at the intercept first
    with numpyro.plate("n", len(y)):
        numpyro.sample("y", dist.Normal(a + trend, s), obs=y)


x = rng.normal(size=50)
arguments = (x, 1 + 2 * x + 0.5 * rng.normal(size=50))
