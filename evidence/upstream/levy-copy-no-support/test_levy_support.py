# Copyright Contributors to the Pyro project.
# SPDX-License-Identifier: Apache-2.0

from numpy.testing import assert_allclose

import jax
import jax.numpy as jnp

import numpyro
from numpyro.contrib.control_flow import scan
import numpyro.distributions as dist
from numpyro.distributions import constraints
from numpyro.infer.util import initialize_model


def test_levy_copy_has_support():
    d = jax.jit(lambda d: d)(dist.Levy(jnp.array([1.0, 2.0]), 2.0))
    assert isinstance(d.support, constraints._GreaterThan)
    assert_allclose(d.support.lower_bound, jnp.array([1.0, 2.0]))
    assert dist.Levy.support.is_discrete is False


def test_levy_inside_scan():
    def model():
        scan(
            lambda c, x: (c, numpyro.sample("x", dist.Levy(x, 2.0))),
            None,
            jnp.arange(3.0),
        )

    info = initialize_model(jax.random.key(0), model)
    values = info.postprocess_fn(info.param_info.z)["x"]
    assert jnp.all(values > jnp.arange(3.0))
