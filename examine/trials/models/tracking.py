"""A moving object as a linear state space model of two dimensions, in NumPyro's scan."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.contrib.control_flow import scan


def model(seen):
    push = numpyro.sample("push", dist.HalfNormal(0.5).expand([2]).to_event(1))
    blur = numpyro.sample("blur", dist.HalfNormal(0.5))
    forward = jnp.array([[1.0, 0.1], [0.0, 0.95]])

    def step(state, y):
        law = dist.Normal(forward @ state, push).to_event(1)
        state = numpyro.sample("state", law)
        numpyro.sample("y", dist.Normal(state[0], blur), obs=y)
        return state, None

    scan(step, jnp.zeros(2), seen)


arguments = (jnp.asarray(np.random.default_rng(119).normal(0, 0.3, 25).cumsum()),)
