"""SIR by scan"""

import jax
import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(cases, N):
    beta = numpyro.sample("beta", dist.LogNormal(-1.0, 0.3))
    gamma = numpyro.sample("gamma", dist.LogNormal(-2.0, 0.3))
    phi = numpyro.sample("phi", dist.Exponential(0.1))

    def step(c, _):
        S, I = c
        new = beta * S * I / N
        return (S - new, I + new - gamma * I), new

    _, new = jax.lax.scan(step, (N - 10.0, 10.0), None, length=len(cases))
    with numpyro.plate("day", len(cases)):
        numpyro.sample("cases", dist.NegativeBinomial2(new + 1e-3, phi), obs=cases)


arguments = (rng.poisson(5 * np.exp(0.15 * np.arange(30))), 10_000.0)
