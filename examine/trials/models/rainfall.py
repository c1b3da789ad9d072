"""Rain with a distribution of one's own: a hurdle of dry days and a gamma of the wet ones."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from jax import lax, random
from numpyro.distributions import constraints


class HurdleGamma(dist.Distribution):
    arg_constraints = {"wet": constraints.unit_interval, "rate": constraints.positive}
    support = constraints.nonnegative
    pytree_data_fields = ("wet", "rate")

    def __init__(self, wet, rate, validate_args=None):
        self.wet, self.rate = wet, rate
        shape = lax.broadcast_shapes(jnp.shape(wet), jnp.shape(rate))
        super().__init__(shape, (), validate_args=validate_args)

    def sample(self, key, sample_shape=()):
        shape = sample_shape + self.batch_shape
        one, two = random.split(key)
        amount = random.gamma(one, 2.0, shape) / self.rate
        return jnp.where(random.bernoulli(two, self.wet, shape), amount, 0.0)

    def log_prob(self, value):
        safe = jnp.where(value > 0, value, 1.0)
        amount = jnp.log(self.wet) + dist.Gamma(2.0, self.rate).log_prob(safe)
        return jnp.where(value > 0, amount, jnp.log1p(-self.wet))


def model(month, rain):
    with numpyro.plate("months", 12):
        wet = numpyro.sample("wet", dist.Beta(2.0, 3.0))
        rate = numpyro.sample("rate", dist.Gamma(2.0, 4.0))
    with numpyro.plate("days", rain.shape[0]):
        numpyro.sample("rain", HurdleGamma(wet[month], rate[month]), obs=rain)


draw = np.random.default_rng(125)
rain = np.where(draw.uniform(size=90) < 0.4, draw.gamma(2.0, 4.0, 90), 0.0)
arguments = draw.integers(0, 12, 90), jnp.asarray(rain)
