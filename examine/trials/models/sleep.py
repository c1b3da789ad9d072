"""A hidden Markov model of sleep stages, summed over by the forward algorithm in lax.scan."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from jax import lax
from jax.scipy.special import logsumexp


def model(movement):
    with numpyro.plate("stages", 3):
        stay = numpyro.sample("stay", dist.Dirichlet(jnp.ones(3)))
        spread = numpyro.sample("spread", dist.HalfNormal(1.0))
    ordered = dist.TransformedDistribution(
        dist.Normal(0.0, 1.0).expand([3]).to_event(1), dist.transforms.OrderedTransform()
    )
    level = numpyro.sample("level", ordered)

    def minute(alpha, seen):
        emitted = dist.Normal(level, spread).log_prob(seen)
        alpha = logsumexp(alpha[:, None] + jnp.log(stay), axis=0) + emitted
        return alpha, None

    first = dist.Normal(level, spread).log_prob(movement[0]) - jnp.log(3.0)
    last, _ = lax.scan(minute, first, movement[1:])
    numpyro.factor("movement", logsumexp(last))


arguments = (jnp.asarray(np.random.default_rng(109).normal(0, 1.5, 60)),)
