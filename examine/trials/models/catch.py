"""Fish lengths in a net that keeps none longer than its mesh allows, year by year."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.contrib.control_flow import scan


def model(lengths):
    longest = numpyro.sample("longest", dist.Uniform(10.0, 200.0))
    change = numpyro.sample("change", dist.Normal(0.0, 0.01))

    def year(mesh, seen):
        with numpyro.plate("fish", lengths.shape[1]):
            numpyro.sample("length", dist.Uniform(0.0, mesh), obs=seen)
        return mesh * jnp.exp(change), None

    scan(year, longest, lengths)


lengths = np.random.default_rng(20).uniform(0, 80, (10, 6))
arguments = (jnp.asarray(lengths),)
