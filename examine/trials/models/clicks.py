"""Logistic regression on many rows, a part of which is drawn at each step of SVI."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.infer.autoguide import AutoDiagonalNormal


def model(x, clicked):
    weight = numpyro.sample("weight", dist.Normal(0.0, 1.0).expand([x.shape[1]]).to_event(1))
    bias = numpyro.sample("bias", dist.Normal(0.0, 2.0))
    with numpyro.plate("rows", x.shape[0], subsample_size=50) as chosen:
        logits = x[chosen] @ weight + bias
        numpyro.sample("clicked", dist.Bernoulli(logits=logits), obs=clicked[chosen])


draw = np.random.default_rng(107)
x = draw.normal(size=(500, 4))
arguments = jnp.asarray(x), jnp.asarray((draw.uniform(size=500) < 0.3).astype(int))
guide = AutoDiagonalNormal(model)
