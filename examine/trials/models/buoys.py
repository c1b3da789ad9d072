"""Wave heights at nine buoys: a law for each buoy is built by vmap from its coordinates."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist


def model(fetch, depth, height=None):
    a = numpyro.sample("a", dist.Normal(0.0, 1.0))
    b = numpyro.sample("b", dist.Normal(0.0, 0.5))
    sigma = numpyro.sample("sigma", dist.HalfNormal(0.4))

    def at(fetch, depth):
        return dist.Normal(a + b * jnp.log(fetch) - 0.1 / depth, sigma)

    laws = jax.vmap(at)(fetch, depth)
    with numpyro.plate("buoys", fetch.shape[0]):
        swell = numpyro.sample("swell", laws)
        numpyro.sample("height", dist.LogNormal(swell, 0.1), obs=height)


draw = np.random.default_rng(24)
fetch, depth = jnp.asarray(draw.uniform(5, 300, 9)), jnp.asarray(draw.uniform(2, 80, 9))
arguments = fetch, depth, jnp.asarray(np.exp(draw.normal(0, 0.4, 9)))
