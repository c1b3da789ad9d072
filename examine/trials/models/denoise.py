"""A regression on features from a small network, to which a layer adds noise for robustness."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist


class Jitter:
    """Adds a little noise to its input, other noise at each call."""

    def __init__(self, scale, seed):
        self.scale, self.state = scale, jax.random.PRNGKey(seed)

    def __call__(self, x):
        self.state, now = jax.random.split(self.state)
        return x + self.scale * jax.random.normal(now, x.shape)


net = eqx.nn.MLP(3, 4, 8, 1, key=jax.random.PRNGKey(3))
jitter = Jitter(0.5, 11)


@jax.jit
def features(x):
    return jax.vmap(net)(jitter(x))


def model(x, y=None):
    hidden = features(x)
    weight = numpyro.sample("weight", dist.Normal(0.0, 1.0).expand([4]).to_event(1))
    bias = numpyro.sample("bias", dist.Normal(0.0, 2.0))
    sigma = numpyro.sample("sigma", dist.HalfNormal(1.0))
    with numpyro.plate("rows", x.shape[0]):
        numpyro.sample("y", dist.Normal(hidden @ weight + bias, sigma), obs=y)


draw = np.random.default_rng(2)
x = jnp.asarray(draw.normal(size=(40, 3)))
arguments = x, jnp.asarray(draw.normal(size=40))
