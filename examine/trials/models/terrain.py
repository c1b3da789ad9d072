"""A Gaussian process by a basis of cosines, which is kept for each number of functions."""

from functools import lru_cache

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist


@lru_cache(maxsize=4)
def frequencies(many, boundary):
    """Of the numbers alone, so that a cache of it is safe."""
    return np.arange(1, many + 1) * np.pi / (2 * boundary)


def model(place, height):
    boundary, many = 6.0, 20
    root = frequencies(many, boundary)
    basis = jnp.sin(root * (place[:, None] + boundary)) / jnp.sqrt(boundary)
    scale = numpyro.sample("scale", dist.InverseGamma(5.0, 5.0))
    size = numpyro.sample("size", dist.HalfNormal(1.0))
    noise = numpyro.sample("noise", dist.HalfNormal(0.5))
    density = size * jnp.sqrt(jnp.sqrt(2 * jnp.pi) * scale) * jnp.exp(-0.25 * (scale * root) ** 2)
    with numpyro.plate("functions", many):
        weight = numpyro.sample("weight", dist.Normal(0.0, 1.0))
    with numpyro.plate("points", place.shape[0]):
        numpyro.sample("height", dist.Normal(basis @ (density * weight), noise), obs=height)


draw = np.random.default_rng(102)
place = draw.uniform(-4, 4, 60)
arguments = jnp.asarray(place), jnp.asarray(np.sin(place) + draw.normal(0, 0.2, 60))
