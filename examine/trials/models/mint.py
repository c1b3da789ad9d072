"""Coins struck by year, in thousands; a helper turns them into coins."""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist


@eqx.filter_jit
def scaled(values, factor):
    return values * factor


draw = np.random.default_rng(8)
struck = jnp.asarray(draw.integers(2_200_000, 3_900_000, 25))
scaled(struck, 1000)  # refused by the eye: whole numbers overflow


def model(year, struck):
    coins = scaled(struck, 1000.0)
    level = numpyro.sample("level", dist.Normal(21.5, 1.0))
    trend = numpyro.sample("trend", dist.Normal(0.0, 0.05))
    nu = numpyro.sample("nu", dist.Gamma(4.0, 0.5))
    sigma = numpyro.sample("sigma", dist.HalfNormal(0.5))
    with numpyro.plate("years", year.shape[0]):
        mean = level + trend * (year - 12)
        numpyro.sample("log", dist.StudentT(nu, mean, sigma), obs=jnp.log(jnp.abs(coins)))


arguments = jnp.arange(25.0), struck


def shown():
    return float(scaled(struck, 1000.0)[0]), float(struck[0] * 1000.0)
