"""A sparse regression with the horseshoe, its local scales regularised by a slab."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist


def model(x, y):
    tau = numpyro.sample("tau", dist.HalfCauchy(0.1))
    slab = numpyro.sample("slab", dist.InverseGamma(2.0, 8.0))
    with numpyro.plate("genes", x.shape[1]):
        local = numpyro.sample("local", dist.HalfCauchy(1.0))
        raw = numpyro.sample("raw", dist.Normal(0.0, 1.0))
    shrunk = jnp.sqrt(slab * local**2 / (slab + tau**2 * local**2))
    effect = numpyro.deterministic("effect", raw * tau * shrunk)
    sigma = numpyro.sample("sigma", dist.HalfNormal(1.0))
    with numpyro.plate("samples", x.shape[0]):
        numpyro.sample("y", dist.Normal(x @ effect, sigma), obs=y)


draw = np.random.default_rng(113)
x = draw.normal(size=(40, 12))
arguments = jnp.asarray(x), jnp.asarray(x[:, 0] * 2 + draw.normal(0, 0.5, 40))
