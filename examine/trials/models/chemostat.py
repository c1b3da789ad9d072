"""Biomass in a chemostat, one Euler step an hour; the technician changed the dilution rate."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from jax import lax


class Chemostat:
    def __init__(self, dilution):
        self.dilution = dilution

    def __call__(self, state, step):
        biomass, food, growth = state
        uptake = growth * biomass * food / (0.5 + food)
        biomass = biomass + 0.1 * (uptake - self.dilution * biomass)
        food = food + 0.1 * (self.dilution * (2.0 - food) - uptake)
        return (biomass, food, growth), biomass


plant = Chemostat(0.2)


def course(growth, hours):
    start = (jnp.asarray(0.3), jnp.asarray(2.0), growth)
    return lax.scan(plant, start, jnp.arange(hours))[1]


course(jnp.asarray(0.8), 30)  # tried at the desk
plant.dilution = 0.6


def model(biomass):
    growth = numpyro.sample("growth", dist.LogNormal(-0.2, 0.4))
    sigma = numpyro.sample("sigma", dist.HalfNormal(0.2))
    mean = course(growth, biomass.shape[0])
    with numpyro.plate("hours", biomass.shape[0]):
        numpyro.sample("biomass", dist.LogNormal(jnp.log(mean), sigma), obs=biomass)


draw = np.random.default_rng(5)
arguments = (jnp.asarray(np.exp(draw.normal(-1.0, 0.2, 30)), jnp.float32),)
