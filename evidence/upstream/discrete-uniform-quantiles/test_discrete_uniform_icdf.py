# Copyright Contributors to the Pyro project.
# SPDX-License-Identifier: Apache-2.0

import numpy as np
from numpy.testing import assert_array_equal
import pytest
import scipy.stats as osp_stats

import jax
import jax.numpy as jnp

import numpyro.distributions as dist

BOUNDS = [(0, 1), (1, 6), (-3, 5), (4, 4), (0, 999)]


@pytest.mark.parametrize("low, high", BOUNDS)
def test_discrete_uniform_icdf_is_a_value(low, high):
    d = dist.DiscreteUniform(low, high)
    n = high - low + 1
    q = (np.arange(10 * n) + 0.5) / (10 * n)
    assert_array_equal(d.icdf(q), osp_stats.randint(low, high + 1).ppf(q))
    assert_array_equal(d.icdf(np.array([0.0, 1.0])), [low, high])


@pytest.mark.parametrize("low, high", BOUNDS)
def test_discrete_uniform_icdf_inverts_cdf(low, high):
    d = dist.DiscreteUniform(low, high)
    values = jnp.arange(low, high + 1)
    assert_array_equal(d.icdf(d.cdf(values)), values)
    assert_array_equal(jax.jit(lambda d, v: d.icdf(d.cdf(v)))(d, values), values)
