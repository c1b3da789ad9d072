"""Zero-inflated catches; the chance of an empty net depends on the depth."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist


def model(depth, effort, catch=None):
    gate = numpyro.sample("gate", dist.Normal(0.0, 1.0).expand([2]).to_event(1))
    rate = numpyro.sample("rate", dist.Normal(0.0, 1.0).expand([2]).to_event(1))
    empty = gate[0] + gate[1] * depth
    mean = effort * jnp.exp(rate[0] + rate[1] * depth)
    with numpyro.plate("trawls", depth.shape[0]):
        law = dist.ZeroInflatedDistribution(dist.Poisson(mean), gate_logits=empty)
        numpyro.sample("catch", law, obs=catch)


draw = np.random.default_rng(106)
catch = draw.poisson(3, 45) * draw.integers(0, 2, 45)
arguments = jnp.asarray(draw.normal(size=45)), jnp.asarray(draw.uniform(0.5, 2, 45))
keywords = {"catch": jnp.asarray(catch)}
