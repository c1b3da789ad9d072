"""An epidemic, and what it would have been with contacts halved from the tenth day on."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro import handlers
from numpyro.contrib.control_flow import scan


def epidemic(cases=None):
    recovery = numpyro.sample("recovery", dist.Beta(2.0, 8.0))

    def day(state, seen):
        susceptible, infected = state
        contact = numpyro.sample("contact", dist.LogNormal(-0.7, 0.2))
        new = contact * susceptible * infected
        state = susceptible - new, infected + new - recovery * infected
        numpyro.sample("cases", dist.Poisson(1e4 * new + 0.1), obs=seen)
        return state, new

    start = jnp.asarray(0.99), jnp.asarray(0.01)
    new = scan(day, start, cases, length=20)[1]
    numpyro.deterministic("new", new)


contact = jnp.where(jnp.arange(20) < 10, 0.5, 0.25)
model = handlers.do(epidemic, data={"contact": contact})
arguments = (jnp.asarray(np.random.default_rng(22).poisson(60, 20)),)
