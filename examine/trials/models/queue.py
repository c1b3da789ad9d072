"""Waiting times, and a simulated queue whose customers each get a key of their own."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from jax import lax, random


def simulated(key, arrival, service, many):
    def customer(wait, key):
        first, second = random.split(key)
        gap = random.exponential(first) / arrival
        wait = jnp.maximum(0.0, wait + random.exponential(second) / service - gap)
        return wait, wait

    return lax.scan(customer, jnp.zeros(()), random.split(key, many))[1]


def model(gaps, services):
    arrival = numpyro.sample("arrival", dist.Gamma(2.0, 2.0))
    service = numpyro.sample("service", dist.Gamma(4.0, 2.0))
    with numpyro.plate("customers", gaps.shape[0]):
        numpyro.sample("gap", dist.Exponential(arrival), obs=gaps)
        numpyro.sample("service_time", dist.Exponential(service), obs=services)
    key = numpyro.prng_key()
    if key is not None:
        waits = jax.vmap(simulated, (0, None, None, None))(
            random.split(key, 4), arrival, service, 20
        )
        numpyro.deterministic("longest", waits.max())


draw = np.random.default_rng(117)
arguments = jnp.asarray(draw.exponential(1.0, 30)), jnp.asarray(draw.exponential(0.5, 30))
