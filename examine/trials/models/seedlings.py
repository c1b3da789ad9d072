"""Heights of seedlings over days; the fitted guide is to say how high they will be later."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from jax import random
from numpyro.infer import SVI, Trace_ELBO
from numpyro.infer.autoguide import AutoNormal
from numpyro.optim import Adam


def model(day, height=None):
    rate = numpyro.sample("rate", dist.LogNormal(0.0, 0.5))
    limit = numpyro.sample("limit", dist.LogNormal(3.0, 0.3))
    curve = numpyro.deterministic("curve", limit * (1 - jnp.exp(-0.1 * rate * day)))
    sigma = numpyro.sample("sigma", dist.HalfNormal(1.0))
    with numpyro.plate("seedlings", day.shape[0]):
        numpyro.sample("height", dist.Normal(curve, sigma), obs=height)


draw = np.random.default_rng(29)
day = jnp.linspace(1.0, 14.0, 14)
arguments = day, jnp.asarray(draw.normal(20 * (1 - np.exp(-0.1 * np.asarray(day))), 1.0))
guide = AutoNormal(model)
fit = SVI(model, guide, Adam(0.05), Trace_ELBO()).run(
    random.PRNGKey(0), 50, *arguments, progress_bar=False
)
