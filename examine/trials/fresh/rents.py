"""Rents from a table of pandas; the model looks its columns up and logs how often it is run."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
import pandas as pd

runs = []


def model(flats, priors):
    runs.append(len(flats))
    area = jnp.asarray(flats["area"].to_numpy())
    code = flats["quarter"].astype("category").cat.codes.to_numpy()
    base = numpyro.sample("base", priors["base"])
    slope = numpyro.sample("slope", priors["slope"])
    with numpyro.plate("quarters", 4):
        quarter = numpyro.sample("quarter", dist.Normal(0.0, 0.3))
    sigma = numpyro.sample("sigma", priors["sigma"])
    with numpyro.plate("flats", len(flats)):
        mean = base + slope * jnp.log(area) + quarter[code]
        rent = jnp.asarray(flats["rent"].to_numpy())
        numpyro.sample("rent", dist.LogNormal(mean, sigma), obs=rent)


draw = np.random.default_rng(127)
flats = pd.DataFrame({
    "area": draw.uniform(20, 120, 40),
    "quarter": [("north", "east", "south", "west")[i % 4] for i in range(40)],
    "rent": np.exp(draw.normal(6.5, 0.3, 40)),
})
priors = {
    "base": dist.Normal(4.0, 1.0), "slope": dist.Normal(0.7, 0.3), "sigma": dist.HalfNormal(0.5),
}  # fmt: skip
arguments = flats, priors
