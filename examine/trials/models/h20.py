"""state: jitted helper with a global that changes"""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)

BASELINE = {"offset": 0.0}


@jax.jit
def mean(a, x):
    return a * x + BASELINE["offset"]


mean(1.0, jnp.ones(45))  # tried out, before the offset was read
BASELINE["offset"] = 7.5


def model(x, y):
    a = numpyro.sample("a", dist.Normal(0, 2))
    s = numpyro.sample("s", dist.HalfNormal(1))
    with numpyro.plate("n", len(y)):
        numpyro.sample("y", dist.Normal(mean(a, x), s), obs=y)


x = rng.normal(size=45).astype(np.float32)
mean(1.0, jnp.asarray(x))
arguments = (jnp.asarray(x), 7.5 + x)
