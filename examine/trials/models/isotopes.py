"""A Gaussian process over sampling sites, with the distance between sites scaled by direction."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist


def matern(sites, variance, scales):
    apart = (sites[:, None] - sites[None]) / scales
    far = jnp.sqrt((apart**2).sum(-1))
    return variance * (1 + jnp.sqrt(3.0) * far) * jnp.exp(-jnp.sqrt(3.0) * far)


def model(sites, ratio):
    variance = numpyro.sample("variance", dist.HalfNormal(1.0))
    scales = numpyro.sample("scales", dist.LogNormal(0.0, 0.5).expand([2]).to_event(1))
    noise = numpyro.sample("noise", dist.HalfNormal(0.5))
    mean = numpyro.sample("mean", dist.Normal(0.0, 2.0))
    cov = matern(sites, variance, scales) + (noise**2 + 1e-4) * jnp.eye(len(sites))
    law = dist.MultivariateNormal(jnp.full(len(sites), mean), covariance_matrix=cov)
    numpyro.sample("ratio", law, obs=ratio)


draw = np.random.default_rng(28)
arguments = jnp.asarray(draw.uniform(0, 5, (15, 2))), jnp.asarray(draw.normal(0, 1, 15))
