# Copyright Contributors to the Pyro project.
# SPDX-License-Identifier: Apache-2.0

import numpy as np
from numpy.testing import assert_allclose
import pytest

import jax
import jax.numpy as jnp

import numpyro
from numpyro.contrib.control_flow import scan
import numpyro.distributions as dist
from numpyro.infer.util import log_density


def make(x, rows):
    return dist.MatrixNormal(x * jnp.ones((rows, 2)), x * jnp.eye(rows), jnp.eye(2))


@pytest.mark.parametrize("jit", [False, True])
@pytest.mark.parametrize("steps, rows", [(2, 2), (3, 3), (3, 2), (4, 1), (1, 2)])
def test_scan_matrix_normal(steps, rows, jit):
    xs = 1.0 + jnp.arange(float(steps))
    values = jnp.arange(steps * rows * 2.0).reshape(steps, rows, 2) / 9

    def step(carry, inputs):
        x, value = inputs
        numpyro.sample("y", make(x, rows), obs=value)
        return carry, None

    def scanned():
        density, trace = log_density(lambda: scan(step, None, (xs, values)), (), {}, {})
        shapes.append(trace["y"]["fn"].batch_shape)
        return density

    shapes = []
    actual = (jax.jit(scanned) if jit else scanned)()
    expected = sum(make(x, rows).log_prob(value) for x, value in zip(xs, values))
    assert_allclose(actual, expected, rtol=1e-4)
    assert shapes == [(steps,)]


def test_mean_of_matrix_normal_is_a_matrix():
    constraint = dist.MatrixNormal.arg_constraints["loc"]
    assert constraint.event_dim == 2
    assert np.all(constraint(jnp.zeros((3, 2, 2))))
