"""Rents from a table with columns of words; the model logs how often it is run."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist

runs = []


def model(flats, priors):
    runs.append(len(flats["area"]))
    area = jnp.asarray(flats["area"])
    code = np.unique(flats["quarter"], return_inverse=True)[1]
    base = numpyro.sample("base", priors["base"])
    slope = numpyro.sample("slope", priors["slope"])
    with numpyro.plate("quarters", 4):
        quarter = numpyro.sample("quarter", dist.Normal(0.0, 0.3))
    sigma = numpyro.sample("sigma", priors["sigma"])
    with numpyro.plate("flats", len(area)):
        mean = base + slope * jnp.log(area) + quarter[code]
        numpyro.sample("rent", dist.LogNormal(mean, sigma), obs=flats["rent"])


draw = np.random.default_rng(127)
flats = {
    "area": draw.uniform(20, 120, 40),
    "quarter": np.array(["north", "east", "south", "west"] * 10),
    "rent": np.exp(draw.normal(6.5, 0.3, 40)),
}
priors = {
    "base": dist.Normal(4.0, 1.0), "slope": dist.Normal(0.7, 0.3), "sigma": dist.HalfNormal(0.5),
}  # fmt: skip
arguments = flats, priors
