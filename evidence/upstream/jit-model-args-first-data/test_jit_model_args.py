# Copyright Contributors to the Pyro project.
# SPDX-License-Identifier: Apache-2.0

from numpy.testing import assert_allclose
import pytest

import jax
import jax.numpy as jnp

import numpyro
import numpyro.distributions as dist
from numpyro.infer import AIES, ESS, MCMC, BarkerMH

FIRST = jnp.array([2.1, 1.4, 2.3, 1.9, 2.0])
CHAINS = {"num_chains": 4, "chain_method": "vectorized"}
KERNELS = [(BarkerMH, {}), (AIES, CHAINS), (ESS, CHAINS)]


def model(y, scale=1.0):
    mu = numpyro.sample("mu", dist.Normal(0.0, 10.0))
    numpyro.sample("y", dist.Normal(mu, scale), obs=y)


def run(mcmc, y, **kwargs):
    mcmc.run(jax.random.key(1), y, **kwargs)
    return mcmc.get_samples()["mu"]


@pytest.mark.parametrize("kernel, chains", KERNELS)
@pytest.mark.parametrize("jit_model_args", [True, False])
def test_second_run_uses_its_arguments(kernel, chains, jit_model_args):
    options = {"num_warmup": 500, "num_samples": 1000, "progress_bar": False, **chains}
    mcmc = MCMC(kernel(model), jit_model_args=jit_model_args, **options)
    assert_allclose(run(mcmc, FIRST).mean(), 1.94, atol=0.2)
    assert_allclose(run(mcmc, FIRST + 5.0).mean(), 6.94, atol=0.2)
    assert_allclose(run(mcmc, FIRST, scale=0.1).mean(), 1.94, atol=0.2)
    again = MCMC(kernel(model), jit_model_args=jit_model_args, **options)
    assert_allclose(run(mcmc, FIRST), run(again, FIRST), rtol=1e-5)
