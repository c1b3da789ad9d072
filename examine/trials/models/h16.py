"""shapes: a misspelt key, so nothing is observed"""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(data):
    x = jnp.asarray(data["x"])
    a = numpyro.sample("a", dist.Normal(0, 3))
    b = numpyro.sample("b", dist.Normal(0, 1))
    with numpyro.plate("n", len(x)):
        numpyro.sample("visits", dist.Poisson(jnp.exp(a + b * x)), obs=data.get("visit"))


x = rng.normal(size=60)
arguments = ({"x": x, "visits": rng.poisson(np.exp(1 + 0.5 * x))},)
