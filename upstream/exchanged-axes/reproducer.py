"""Five days, five stations: the days are taken for the stations. Exits 1 while the defect lives."""

import sys

import jax.numpy as jnp
from jax.scipy import stats

import numpyro
from numpyro.contrib.control_flow import scan
import numpyro.distributions as dist
from numpyro.distributions.transforms import AffineTransform
from numpyro.infer.util import log_density

shifts = jnp.arange(5.0)  # one for each day
readings = shifts[:, None] + jnp.zeros((5, 5))  # days, stations


def day(carry, inputs):
    shift, values = inputs
    shifted = dist.TransformedDistribution(
        dist.Normal(0.0, 1.0), AffineTransform(shift, 1.0)
    )
    with numpyro.plate("station", 5):
        numpyro.sample("reading", shifted, obs=values)
    return carry, None


got, trace = log_density(lambda: scan(day, None, (shifts, readings)), (), {}, {})
expected = stats.norm.logpdf(readings, shifts[:, None], 1.0).sum()
print("numpyro", numpyro.__version__)
print("batch shape", trace["reading"]["fn"].batch_shape, "expected", (5, 5))
print(f"log density {got:.3f}, expected {expected:.3f}")
sys.exit(int(not jnp.allclose(got, expected, rtol=1e-4)))
