"""The Nile's level, summed out by a Kalman filter that a frozen class holds."""

import dataclasses

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from jax import lax


@dataclasses.dataclass(frozen=True)
class Kalman:
    start: float
    doubt: float

    def log_likelihood(self, flow, move, noise):
        def year(state, y):
            mean, var = state
            ahead = var + noise**2
            score = dist.Normal(mean, jnp.sqrt(ahead)).log_prob(y)
            gain = var / ahead
            return (mean + gain * (y - mean), var * (1 - gain) + move**2), score

        first = jnp.asarray(self.start), jnp.asarray(self.doubt**2)
        return lax.scan(year, first, flow)[1].sum()


kalman = Kalman(1100.0, 300.0)


def model(flow):
    move = numpyro.sample("move", dist.HalfNormal(100.0))
    noise = numpyro.sample("noise", dist.HalfNormal(200.0))
    numpyro.factor("flow", kalman.log_likelihood(flow, move, noise))


flow = 1100 + np.random.default_rng(129).normal(0, 40, 60).cumsum()
arguments = (jnp.asarray(flow),)
