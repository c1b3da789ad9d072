"""Stochastic volatility with leverage, log-normal prices around a walk of the volatility."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist


def model(returns):
    step = numpyro.sample("step", dist.Exponential(20.0))
    nu = numpyro.sample("nu", dist.Exponential(0.1))
    walk = dist.GaussianRandomWalk(step, num_steps=returns.shape[0])
    volatility = numpyro.sample("volatility", walk)
    with numpyro.plate("days", returns.shape[0]):
        law = dist.StudentT(nu + 2, 0.0, jnp.exp(volatility - 4))
        numpyro.sample("returns", law, obs=returns)


arguments = (jnp.asarray(np.random.default_rng(120).normal(0, 0.02, 80)),)
