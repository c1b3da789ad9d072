"""Parameters of a reactor through a network of Equinox, whose weights are fixed features."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist


class Features(eqx.Module):
    hidden: eqx.nn.Linear
    norm: eqx.nn.LayerNorm
    scale: float = eqx.field(static=True)

    def __init__(self, wide, key):
        self.hidden = eqx.nn.Linear(2, wide, key=key)
        self.norm = eqx.nn.LayerNorm(wide)
        self.scale = 0.5

    def __call__(self, x):
        return self.norm(jnp.tanh(self.hidden(x))) * self.scale


@eqx.filter_jit
def embed(features, x):
    return jax.vmap(features)(x)


def model(features, x, y=None):
    z = embed(features, x)
    weight = numpyro.sample("weight", dist.Normal(0.0, 1.0).expand([z.shape[1]]).to_event(1))
    sigma = numpyro.sample("sigma", dist.Exponential(2.0))
    with numpyro.plate("runs", x.shape[0]):
        numpyro.sample("y", dist.Normal(z @ weight, sigma), obs=y)


draw = np.random.default_rng(108)
features = Features(8, jax.random.PRNGKey(8))
arguments = features, jnp.asarray(draw.normal(size=(30, 2)))
keywords = {"y": jnp.asarray(draw.normal(size=30))}
