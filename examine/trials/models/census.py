"""Mean income by region from tracts: people times income, summed before the model's mean."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist

draw = np.random.default_rng(30)
people = draw.integers(20_000, 90_000, (6, 40))
income = draw.integers(30_000, 60_000, (6, 40))


def mean_income(people, income):
    return (people * income).sum(-1) / people.sum(-1)


def model(people, income, spending):
    mean = mean_income(people, income) / 1e4
    base = numpyro.sample("base", dist.Normal(0.0, 1.0))
    share = numpyro.sample("share", dist.Normal(0.5, 0.2))
    sigma = numpyro.sample("sigma", dist.HalfNormal(0.5))
    with numpyro.plate("regions", spending.shape[0]):
        numpyro.sample("spending", dist.Normal(base + share * mean, sigma), obs=spending)


arguments = jnp.asarray(people), jnp.asarray(income), jnp.asarray(draw.normal(2.2, 0.2, 6))
