"""Sales and advertising whose effect lingers, by a deterministic recursion in lax.scan."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from jax import lax, vmap


def lingering(spend, stay):
    def week(stock, now):
        stock = stay * stock + now
        return stock, stock

    return lax.scan(week, jnp.zeros(()), spend)[1]


def model(spend, sales):
    channels = spend.shape[1]
    with numpyro.plate("channels", channels):
        stay = numpyro.sample("stay", dist.Beta(3.0, 3.0))
        half = numpyro.sample("half", dist.HalfNormal(2.0))
        effect = numpyro.sample("effect", dist.HalfNormal(1.0))
    stock = vmap(lingering, (1, 0), 1)(spend, stay)
    response = stock / (stock + half)
    base = numpyro.sample("base", dist.Normal(5.0, 2.0))
    sigma = numpyro.sample("sigma", dist.HalfNormal(1.0))
    with numpyro.plate("weeks", sales.shape[0]):
        numpyro.sample("sales", dist.Normal(base + response @ effect, sigma), obs=sales)


draw = np.random.default_rng(128)
arguments = jnp.asarray(draw.exponential(1.0, (52, 3))), jnp.asarray(draw.normal(7, 1, 52))
