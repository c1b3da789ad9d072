"""Parasites in sheep: counts with a prior that also allows almost none of the extra spread."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist


def model(farm, counts):
    level = numpyro.sample("level", dist.Normal(4.5, 0.5))
    tau = numpyro.sample("tau", dist.HalfNormal(0.3))
    with numpyro.plate("farms", 5):
        effect = numpyro.sample("effect", dist.Normal(level, tau))
    log_k = numpyro.sample("log_k", dist.Uniform(0.0, 20.0))
    law = dist.NegativeBinomial2(jnp.exp(effect[farm]), jnp.exp(log_k))
    with numpyro.plate("sheep", farm.shape[0]):
        numpyro.sample("counts", law, obs=counts)


draw = np.random.default_rng(26)
farm = draw.integers(0, 5, 300)
counts = draw.negative_binomial(8, 8 / (8 + 90), 300)
arguments = jnp.asarray(farm), jnp.asarray(counts)
