"""Two runs on data of one shape, with `jit_model_args`. Exits 1 while the second ignores its data."""

import sys

import jax
import jax.numpy as jnp

import numpyro
import numpyro.distributions as dist
from numpyro.infer import MCMC, BarkerMH


def model(y):
    mu = numpyro.sample("mu", dist.Normal(0.0, 10.0))
    numpyro.sample("y", dist.Normal(mu, 1.0), obs=y)


first = jnp.array([2.1, 1.4, 2.3, 1.9, 2.0])
mcmc = MCMC(
    BarkerMH(model),
    num_warmup=500,
    num_samples=1000,
    jit_model_args=True,
    progress_bar=False,
)
means = []
for y in (first, first + 5.0):
    mcmc.run(jax.random.key(1), y)
    means.append(float(mcmc.get_samples()["mu"].mean()))
print("numpyro", numpyro.__version__)
print("posterior means", means, "means of the data", first.mean(), first.mean() + 5.0)
sys.exit(int(abs(means[1] - means[0] - 5.0) > 0.5))
