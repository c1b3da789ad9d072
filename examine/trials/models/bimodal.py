"""Eruptions that are short or long; which it was is a discrete latent that is summed over."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist


def model(minutes):
    long = numpyro.sample("long", dist.Beta(2.0, 2.0))
    mean = numpyro.sample("mean", dist.Normal(jnp.array([2.0, 4.3]), 0.3).to_event(1))
    sigma = numpyro.sample("sigma", dist.HalfNormal(0.5))
    with numpyro.plate("eruptions", minutes.shape[0]):
        kind = numpyro.sample("kind", dist.Bernoulli(long), infer={"enumerate": "parallel"})
        numpyro.sample("minutes", dist.Normal(mean[kind], sigma), obs=minutes)


draw = np.random.default_rng(123)
arguments = (jnp.asarray(np.concatenate([draw.normal(2, 0.3, 15), draw.normal(4.3, 0.4, 25)])),)
