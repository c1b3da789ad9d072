"""A Bayesian network of two layers that tells three classes apart."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist


def layer(name, x, wide):
    shape = (x.shape[-1], wide)
    weight = numpyro.sample(f"{name}_weight", dist.Normal(0, 1).expand(shape).to_event(2))
    bias = numpyro.sample(f"{name}_bias", dist.Normal(0, 1).expand([wide]).to_event(1))
    return x @ weight / jnp.sqrt(shape[0]) + bias


def model(pixels, label=None, *, wide=6):
    hidden = jax.nn.gelu(layer("first", pixels, wide))
    hidden = jax.nn.gelu(layer("second", hidden, wide))
    logits = layer("out", hidden, 3)
    with numpyro.plate("pictures", pixels.shape[0]):
        numpyro.sample("label", dist.Categorical(logits=logits), obs=label)


draw = np.random.default_rng(124)
arguments = (jnp.asarray(draw.normal(size=(50, 9))),)
keywords = {"label": jnp.asarray(draw.integers(0, 3, 50)), "wide": 5}
