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
from numpyro.distributions.transforms import (
    AffineTransform,
    ComposeTransform,
    ExpTransform,
    IndependentTransform,
    LowerCholeskyAffine,
)
from numpyro.infer.util import log_density

N = 3
EYE = np.eye(2)


def transformed(base, *transforms):
    return dist.TransformedDistribution(base, list(transforms))


# a distribution for each step, whose transform lacks the batch of the base
LACKING = {
    "affine": lambda x: transformed(
        dist.Normal(jnp.zeros(N), 1.0), AffineTransform(x, 2.0)
    ),
    "inverse": lambda x: transformed(
        dist.Normal(jnp.zeros(N), 1.0), AffineTransform(x, 2.0).inv
    ),
    "compose": lambda x: transformed(
        dist.Normal(jnp.zeros(N), 1.0),
        ComposeTransform([AffineTransform(x, 2.0), ExpTransform()]),
    ),
    "two": lambda x: transformed(
        dist.Normal(jnp.zeros(N), 1.0), AffineTransform(x, 2.0), ExpTransform()
    ),
    "independent": lambda x: transformed(
        dist.Normal(jnp.zeros((N, 2)), 1.0),
        IndependentTransform(AffineTransform(x, 2.0), 1),
    ),
    "lower_cholesky_affine": lambda x: transformed(
        dist.Normal(jnp.zeros((N, 2)), 1.0).to_event(1),
        LowerCholeskyAffine(x * jnp.ones(2), 2 * EYE),
    ),
    "masked": lambda x: transformed(
        dist.Normal(jnp.zeros(N), 1.0), AffineTransform(x, 2.0)
    ).mask(True),
}


@pytest.mark.parametrize("name", LACKING)
# as many steps as members of the plate: a mistake is no error of shapes
@pytest.mark.parametrize("steps", [N, N + 1])
def test_scan_transform_that_lacks_the_batch(name, steps):
    make, xs = LACKING[name], 0.1 + jnp.arange(float(steps))
    shape = (steps, N) + make(0.1).event_shape
    values = jnp.asarray(np.linspace(0.5, 1.5, np.prod(shape)).reshape(shape))

    def step(carry, inputs):
        x, value = inputs
        with numpyro.plate("p", N):
            numpyro.sample("y", make(x), obs=value)
        return carry, None

    model = lambda: scan(step, None, (xs, values))
    actual = jax.jit(lambda: log_density(model, (), {}, {})[0])()
    expected = sum(make(x).log_prob(value).sum() for x, value in zip(xs, values))
    assert_allclose(actual, expected, rtol=1e-4)
