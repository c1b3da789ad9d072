"""Answers from one to five by an ordered logit with induced cutpoints."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.distributions import transforms


def model(wait, staff, answer=None):
    slope = numpyro.sample("slope", dist.Normal(0.0, 1.0).expand([2]).to_event(1))
    probability = numpyro.sample("probability", dist.Dirichlet(jnp.full(5, 2.0)))
    cut = transforms.SimplexToOrderedTransform(0.0)(probability)
    cut = numpyro.deterministic("cut", cut)
    with numpyro.plate("guests", wait.shape[0]):
        mean = slope[0] * wait + slope[1] * staff
        numpyro.sample("answer", dist.OrderedLogistic(mean, cut), obs=answer)


draw = np.random.default_rng(118)
arguments = jnp.asarray(draw.normal(size=60)), jnp.asarray(draw.normal(size=60))
keywords = {"answer": jnp.asarray(draw.integers(0, 5, 60))}
