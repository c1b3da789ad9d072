# Copyright Contributors to the Pyro project.
# SPDX-License-Identifier: Apache-2.0

import numpy as np
from numpy.testing import assert_allclose
import pytest

import jax.numpy as jnp

import numpyro
from numpyro.contrib.control_flow import scan
import numpyro.distributions as dist
from numpyro.infer.util import log_density

EYE = np.eye(2)


# a distribution for each step with a plate of two, or without, and a value for it
@pytest.mark.parametrize("size", [(), (2,)], ids=["alone", "in_plate"])
@pytest.mark.parametrize(
    "make, value",
    [
        (
            lambda x, size: dist.MultivariateNormal(
                x * jnp.ones((*size, 3, 2)), covariance_matrix=EYE
            ).to_event(1),
            np.ones((3, 2)),
        ),
        (
            lambda x, size: dist.Dirichlet(x * jnp.ones((*size, 3, 2))).to_event(1),
            0.5 * np.ones((3, 2)),
        ),
        (
            lambda x, size: dist.MultivariateNormal(
                x * jnp.ones((*size, 4, 3, 2)), scale_tril=EYE
            ).to_event(2),
            np.ones((4, 3, 2)),
        ),
    ],
    ids=["covariance", "dirichlet", "two_dimensions"],
)
@pytest.mark.parametrize("steps", [2, 3, 5])
def test_scan_to_event_of_an_event(make, value, size, steps):
    xs = 1.0 + jnp.arange(float(steps))
    values = np.broadcast_to(value, (steps, *size, *value.shape))

    def step(carry, inputs):
        x, value = inputs
        d = make(x, size)
        if size:
            with numpyro.plate("p", *size):
                numpyro.sample("y", d, obs=value)
        else:
            numpyro.sample("y", d, obs=value)
        return carry, None

    density, trace = log_density(
        lambda: scan(step, None, (xs, jnp.asarray(values))), (), {}, {}
    )
    expected = sum(make(x, size).log_prob(v).sum() for x, v in zip(xs, values))
    assert_allclose(density, expected, rtol=1e-4)
    assert trace["y"]["fn"].batch_shape == (steps, *size)
