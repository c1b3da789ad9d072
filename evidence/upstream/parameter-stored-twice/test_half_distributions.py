# Copyright Contributors to the Pyro project.
# SPDX-License-Identifier: Apache-2.0

from numpy.testing import assert_allclose
import pytest

import jax
import jax.numpy as jnp

import numpyro.distributions as dist


@pytest.mark.parametrize("cls", [dist.HalfCauchy, dist.HalfNormal])
def test_scale_is_the_only_leaf(cls):
    d = cls(jnp.array([1.0, 2.0]))
    (leaf,) = jax.tree.leaves(d)
    assert leaf is d.scale


@pytest.mark.parametrize("cls", [dist.HalfCauchy, dist.HalfNormal])
def test_gradient_of_distribution(cls):
    actual = jax.grad(lambda d: d.log_prob(3.0))(cls(2.0)).scale
    expected = jax.grad(lambda scale: cls(scale).log_prob(3.0))(2.0)
    assert_allclose(actual, expected)


@pytest.mark.parametrize("cls", [dist.HalfCauchy, dist.HalfNormal])
def test_update_of_leaf(cls):
    doubled = jax.tree.map(lambda x: 2 * x, cls(2.0))
    assert_allclose(doubled.log_prob(3.0), cls(4.0).log_prob(3.0))
    assert_allclose(doubled.icdf(0.3), cls(4.0).icdf(0.3))
    draws = [d.sample(jax.random.key(0)) for d in (doubled, cls(4.0))]
    assert_allclose(*draws)
