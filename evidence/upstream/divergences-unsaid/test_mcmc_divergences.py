# Copyright Contributors to the Pyro project.
# SPDX-License-Identifier: Apache-2.0

import warnings

import pytest

import jax
import jax.numpy as jnp

import numpyro
import numpyro.distributions as dist
from numpyro.infer import HMC, MCMC, NUTS, BarkerMH

OPTIONS = {"num_warmup": 100, "num_samples": 200, "progress_bar": False}
VECTORIZED = {"num_chains": 2, "chain_method": "vectorized"}


def with_wall():
    x = numpyro.sample("x", dist.Normal(0.0, 1.0))
    numpyro.factor("wall", jnp.where(x > 0.5, jnp.nan, 0.0))


def without_wall():
    numpyro.sample("x", dist.Normal(0.0, 1.0))


@pytest.mark.parametrize("kernel", [NUTS, HMC])
@pytest.mark.parametrize("chains", [{}, VECTORIZED])
def test_run_warns_of_divergences(kernel, chains):
    mcmc = MCMC(kernel(with_wall), **OPTIONS, **chains)
    with pytest.warns(UserWarning, match="transitions diverged") as said:
        mcmc.run(jax.random.key(0))
    diverging = mcmc.get_extra_fields()["diverging"]
    assert f"{diverging.sum()} of {diverging.size}" in str(said[0].message)
    assert "num.pyro.ai" in str(said[0].message)


@pytest.mark.parametrize("kernel", [NUTS, BarkerMH])
def test_run_without_divergences_is_quiet(kernel):
    mcmc = MCMC(kernel(without_wall), **OPTIONS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mcmc.run(jax.random.key(0))


def test_warmup_does_not_warn():
    mcmc = MCMC(NUTS(with_wall), **OPTIONS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mcmc.warmup(jax.random.key(0), collect_warmup=True)
    assert mcmc.get_extra_fields()["diverging"].any()
    with pytest.warns(UserWarning, match="transitions diverged"):
        mcmc.run(jax.random.key(1))


def test_run_under_jit_does_not_warn():
    @jax.jit
    def draws(key):
        mcmc = MCMC(NUTS(with_wall), **OPTIONS)
        mcmc.run(key)
        return mcmc.get_samples()["x"]

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert draws(jax.random.key(0)).shape == (200,)
