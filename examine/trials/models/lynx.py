"""Hare and lynx as an ordinary differential equation, integrated by JAX's odeint."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from jax.experimental.ode import odeint


def slope(state, _, theta):
    hare, lynx = state
    return jnp.stack(
        [
            theta[0] * hare - theta[1] * hare * lynx,
            theta[2] * hare * lynx - theta[3] * lynx,
        ]
    )


def model(years, counts):
    theta = numpyro.sample(
        "theta",
        dist.TruncatedNormal(jnp.array([0.5, 0.05, 0.02, 0.5]), 0.05, low=0.001).to_event(1),
    )
    start = numpyro.sample("start", dist.LogNormal(jnp.log(20.0), 0.5).expand([2]).to_event(1))
    state = odeint(slope, start, years, theta, rtol=1e-4, atol=1e-4, mxstep=500)
    sigma = numpyro.sample("sigma", dist.LogNormal(-1.0, 0.5).expand([2]).to_event(1))
    law = dist.LogNormal(jnp.log(jnp.maximum(state, 1e-3)), sigma).to_event(2)
    numpyro.sample("counts", law, obs=counts)


counts = jnp.asarray(np.exp(np.random.default_rng(121).normal(3, 0.4, (12, 2))))
arguments = jnp.arange(12.0), counts
