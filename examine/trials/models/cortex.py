"""A table of two regions by two bands in each of two sessions, with errors that go together."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.contrib.control_flow import scan

regions = jnp.array([[1.0, 0.0], [0.4, 0.7]])
bands = jnp.array([[0.8, 0.0], [-0.3, 1.1]])


def model(dose, power):
    effect = numpyro.sample("effect", dist.Normal(jnp.ones((2, 2)), 0.5).to_event(2))
    base = numpyro.sample("base", dist.Normal(0.0, 1.0))

    def session(carry, inputs):
        strength, seen = inputs
        law = dist.MatrixNormal(base + effect * strength, regions, bands)
        numpyro.sample("power", law, obs=seen)
        return carry, None

    scan(session, None, (dose, power))


draw = np.random.default_rng(19)
dose = jnp.asarray([0.0, 2.5])
arguments = dose, dose[:, None, None] + draw.normal(size=(2, 2, 2))
