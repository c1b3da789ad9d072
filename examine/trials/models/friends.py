"""Friendships by distance in a plane; the diagonal is left out of the likelihood."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(53)


def model(tie):
    n = len(tie)
    with numpyro.plate("person", n):
        place = numpyro.sample("place", dist.Normal(0.0, 1.0).expand([2]).to_event(1))
    ease = numpyro.sample("ease", dist.Normal(0.0, 1.0))
    apart = jnp.linalg.norm(place[:, None] - place[None], axis=-1)
    with numpyro.handlers.mask(mask=~np.eye(n, dtype=bool)):
        numpyro.sample("tie", dist.Bernoulli(logits=ease - apart).to_event(0), obs=tie)


arguments = (rng.integers(0, 2, size=(12, 12)),)
