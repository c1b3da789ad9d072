"""The starts that three keys draw. Exits 1 while they are all the same."""

import sys

import jax

import numpyro
import numpyro.distributions as dist
from numpyro.infer import SVI, Trace_ELBO
from numpyro.infer.autoguide import AutoNormal


def model():
    numpyro.sample("x", dist.Normal(0.0, 1.0))


svi = SVI(model, AutoNormal(model), numpyro.optim.Adam(0.1), Trace_ELBO())
starts = [
    float(svi.get_params(svi.init(jax.random.key(number)))["x_auto_loc"])
    for number in range(3)
]
print("numpyro", numpyro.__version__)
print("starts", starts)

svi = SVI(model, AutoNormal(model), numpyro.optim.Adam(0.1), Trace_ELBO())
jax.vmap(svi.init)(jax.random.split(jax.random.key(0), 3))
try:
    svi.get_params(svi.init(jax.random.key(0)))
    after_vmap = True
except jax.errors.UnexpectedTracerError as error:
    print("after vmap:", str(error).split(".")[0])
    after_vmap = False
sys.exit(int(not (len(set(starts)) == 3 and after_vmap)))
