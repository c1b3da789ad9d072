"""Shares of four parties: their effects sum to zero in each election, and spread differently."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.contrib.control_flow import scan


def model(turmoil, polls):
    calm = numpyro.sample("calm", dist.HalfNormal(0.3))

    def election(carry, inputs):
        upheaval, poll = inputs
        law = dist.ZeroSumNormal(calm * upheaval, event_shape=(4,))
        effect = numpyro.sample("effect", law)
        numpyro.sample("poll", dist.Multinomial(800, logits=effect), obs=poll)
        return carry, None

    scan(election, None, (turmoil, polls))


draw = np.random.default_rng(18)
turmoil = jnp.asarray([1.0, 1.5, 4.0])
arguments = turmoil, jnp.asarray(draw.multinomial(800, [0.4, 0.3, 0.2, 0.1], 3))
