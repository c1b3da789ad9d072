"""A trend of the fourth degree in the number of the month, beside an index: whole numbers both."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(53)


def model(month, observer, spots):
    weights = numpyro.sample("weights", dist.Normal(0.0, 1e-6).expand([5]).to_event(1))
    eye = numpyro.sample("eye", dist.Normal(0.0, 5.0).expand([3]).to_event(1))
    sigma = numpyro.sample("sigma", dist.HalfNormal(20.0))
    powers = jnp.stack([month**degree for degree in range(5)], axis=1)
    with numpyro.plate("month", len(spots)):
        numpyro.sample("spots", dist.Normal(powers @ weights + eye[observer], sigma), obs=spots)


arguments = jnp.arange(300), jnp.arange(300) % 3, rng.gamma(4.0, 10.0, size=300)
