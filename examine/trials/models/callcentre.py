"""Calls as a Poisson process over the day, its likelihood given to factor."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist

grid = jnp.linspace(0.0, 24.0, 49)


def model(times):
    base = numpyro.sample("base", dist.Normal(0.5, 1.0))
    peak = numpyro.sample("peak", dist.Normal(0.0, 1.0))
    hour = numpyro.sample("hour", dist.VonMises(0.0, 1.0))

    def log_rate(t):
        return base + peak * jnp.cos(2 * jnp.pi * t / 24 - hour)

    expected = jnp.trapezoid(jnp.exp(log_rate(grid)), grid)
    numpyro.factor("calls", log_rate(times).sum() - expected)


arguments = (jnp.sort(jnp.asarray(np.random.default_rng(104).uniform(0, 24, 70))),)
