"""A latent with a folded distribution in SVI. Exits 1 while it raises."""

import sys

import jax

import numpyro
import numpyro.distributions as dist
from numpyro.infer import SVI, Trace_ELBO


def guide():
    loc = numpyro.param("loc", 1.0)
    numpyro.sample("x", dist.FoldedDistribution(dist.Normal(loc, 1.0)))


def model():
    numpyro.sample("x", dist.HalfNormal(2.0))


svi = SVI(model, guide, numpyro.optim.Adam(0.1), Trace_ELBO())
print("numpyro", numpyro.__version__)
try:
    print("loss", svi.evaluate(svi.init(jax.random.key(0))))
    sys.exit(0)
except TypeError as error:
    print("TypeError:", error)
    sys.exit(1)
