"""Robust regression of wheat yield on nitrogen; the yields are a column of a table."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.infer.util import log_density


def model(table):
    nitrogen, yields = table[:, 0], table[:, 1:]
    intercept = numpyro.sample("intercept", dist.Normal(3.0, 1.0))
    slope = numpyro.sample("slope", dist.Normal(0.0, 1.0))
    bend = numpyro.sample("bend", dist.Normal(0.0, 0.3))
    sigma = numpyro.sample("sigma", dist.HalfNormal(1.0))
    nu = numpyro.sample("nu", dist.Gamma(3.0, 0.3))
    mean = intercept + slope * nitrogen + bend * nitrogen**2
    numpyro.sample("yields", dist.StudentT(nu, mean, sigma), obs=yields)


draw = np.random.default_rng(25)
nitrogen = draw.uniform(0, 2, 35)
table = jnp.asarray(np.stack([nitrogen, 3 + 1.2 * nitrogen + draw.normal(0, 0.4, 35)], 1))
arguments = (table,)


def shown():
    """The number of terms in the likelihood of thirty-five plots."""
    at = {"intercept": 3.0, "slope": 1.0, "bend": 0.0, "sigma": 0.5, "nu": 5.0}
    site = log_density(model, arguments, {}, at)[1]["yields"]
    return float(site["fn"].log_prob(site["value"]).size), 35.0
