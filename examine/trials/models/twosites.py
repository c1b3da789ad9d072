"""Two sub-models under prefixes of their own that share one parameter, without any loop."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro import handlers


def decay(shared, time, seen):
    start = numpyro.sample("start", dist.LogNormal(1.0, 0.5))
    own = numpyro.sample("own", dist.Normal(0.0, 0.2))
    mean = jnp.log(start) - time * jnp.exp(shared + own)
    with numpyro.plate("readings", time.shape[0]):
        numpyro.sample("seen", dist.LogNormal(mean, 0.1), obs=seen)


def model(time, plasma, tissue):
    shared = numpyro.sample("shared", dist.Normal(-1.0, 0.5))
    for name, seen in {"plasma": plasma, "tissue": tissue}.items():
        with handlers.scope(prefix=name):
            decay(shared, time, seen)


draw = np.random.default_rng(126)
time = jnp.linspace(0.5, 8.0, 12)
arguments = time, *(jnp.asarray(np.exp(draw.normal(0, 0.5, 12))) for _ in range(2))
