# Copyright Contributors to the Pyro project.
# SPDX-License-Identifier: Apache-2.0

import numpy as np
import pytest

import jax
import jax.numpy as jnp

import numpyro.distributions as dist

PRIORS = [
    lambda: dist.LKJCholesky(3, 2.0),
    lambda: dist.LKJ(3, 2.0),
    lambda: dist.ZeroSumNormal(1.0, (4,)),
]


@pytest.mark.parametrize("prior", PRIORS)
def test_float32_draws_are_in_the_support_in_float64(prior):
    with jax.enable_x64(False):
        draws = np.asarray(prior().sample(jax.random.key(0), (100,)))
        expected = prior().log_prob(draws)
    with jax.enable_x64(True):
        d = prior()
        actual = jax.vmap(d.log_prob)(jnp.asarray(draws, float))
        np.testing.assert_allclose(actual, expected, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("prior", PRIORS)
def test_other_values_stay_out_of_the_support_in_float64(prior):
    with jax.enable_x64(True):
        d = prior()
        draws = d.sample(jax.random.key(0), (100,))
        assert jnp.isinf(jax.vmap(d.log_prob)(draws * 1.001 + 0.001)).all()
