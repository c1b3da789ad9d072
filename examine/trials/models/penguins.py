"""Bill lengths as a mixture of three species, with ordered means."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist


def model(bill):
    share = numpyro.sample("share", dist.Dirichlet(jnp.full(3, 5.0)))
    start = numpyro.sample("start", dist.Normal(38.0, 2.0))
    gaps = numpyro.sample("gaps", dist.HalfNormal(5.0).expand([2]).to_event(1))
    mean = start + jnp.concatenate([jnp.zeros(1), jnp.cumsum(gaps)])
    sigma = numpyro.sample("sigma", dist.Gamma(4.0, 2.0))
    parts = dist.Normal(mean, sigma)
    with numpyro.plate("birds", bill.shape[0]):
        law = dist.MixtureSameFamily(dist.Categorical(probs=share), parts)
        numpyro.sample("bill", law, obs=bill)


draw = np.random.default_rng(110)
arguments = (jnp.asarray(np.concatenate([draw.normal(m, 2, 30) for m in (39, 46, 49)])),)
