# Copyright Contributors to the Pyro project.
# SPDX-License-Identifier: Apache-2.0

import copy

import numpy as np
import pytest

import jax
import jax.numpy as jnp

import numpyro
from numpyro.contrib.control_flow import scan
import numpyro.distributions as dist
from numpyro.infer.util import log_density


def copies():
    return {
        "tree_map": lambda d: jax.tree.map(lambda x: x, d),
        "jit": jax.jit(lambda d: d),
        "vmap": lambda d: jax.vmap(
            lambda d: d, in_axes=None, out_axes=None, axis_size=2
        )(d),
        "copy": copy.copy,
    }


@pytest.mark.parametrize("how", list(copies()))
def test_copy_follows_default_validation(how):
    d = copies()[how](dist.Uniform(0.0, 1.0))
    assert d.log_prob(5.0) == -jnp.inf
    with dist.distribution.validation_enabled(False):
        assert np.isfinite(d.log_prob(5.0))


@pytest.mark.parametrize("how", list(copies()))
@pytest.mark.parametrize("validate_args", [True, False])
def test_copy_keeps_given_validation(how, validate_args):
    d = copies()[how](dist.Uniform(0.0, 1.0, validate_args=validate_args))
    with dist.distribution.validation_enabled(not validate_args):
        assert bool(np.isinf(d.log_prob(5.0))) is validate_args


def test_scan_validates_outside_of_support():
    def model():
        scan(
            lambda c, x: (c, numpyro.sample("x", dist.Uniform(0.0, 1.0))), None, None, 3
        )

    density, _ = log_density(model, (), {}, {"x": jnp.array([0.5, 5.0, 0.5])})
    assert density == -jnp.inf
