"""A lazy property that is a tuple, read in a trace and after it. Exits 1 while it leaks."""

import sys

import jax
import jax.numpy as jnp

import numpyro
import numpyro.distributions as dist
from numpyro.distributions.util import lazy_property


class Interval(dist.Uniform):
    @lazy_property
    def center_and_width(self):
        return (self.low + self.high) / 2, self.high - self.low


interval = Interval(jnp.zeros(2), jnp.ones(2))
jax.jit(lambda x: x + interval.center_and_width[1])(1.0)
print("numpyro", numpyro.__version__)
try:
    print(
        "center and width",
        interval.center_and_width[0] + 0,
        interval.center_and_width[1] + 0,
    )
    sys.exit(0)
except jax.errors.UnexpectedTracerError as error:
    print("UnexpectedTracerError:", str(error).split(".")[0])
    sys.exit(1)
