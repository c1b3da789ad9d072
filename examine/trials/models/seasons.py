"""Monthly visitors with a Fourier season; its period is corrected after the first plot."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist


class Fourier:
    def __init__(self, period, order):
        self.period, self.order = period, order

    @partial(jax.jit, static_argnums=0)
    def design(self, time):
        angle = 2 * jnp.pi * time[:, None] * jnp.arange(1, self.order + 1) / self.period
        return jnp.concatenate([jnp.sin(angle), jnp.cos(angle)], axis=1)


time = jnp.arange(48.0)
season = Fourier(period=6.0, order=2)
first_plot = season.design(time)
season.period = 12.0


def model(time, visitors):
    trend = numpyro.sample("trend", dist.Normal(0.0, 0.05))
    level = numpyro.sample("level", dist.Normal(3.0, 1.0))
    shape = numpyro.sample("shape", dist.Normal(0.0, 0.5).expand([4]).to_event(1))
    rate = jnp.exp(level + trend * time + season.design(time) @ shape)
    with numpyro.plate("months", time.shape[0]):
        numpyro.sample("visitors", dist.Poisson(rate), obs=visitors)


arguments = time, jnp.asarray(np.random.default_rng(6).poisson(20, 48))


def shown():
    return float(season.design(time)[3, 0]), float(Fourier(12.0, 2).design(time)[3, 0])
