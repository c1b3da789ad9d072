# Copyright Contributors to the Pyro project.
# SPDX-License-Identifier: Apache-2.0

from numpy.testing import assert_allclose
import pytest

import jax
import jax.numpy as jnp

import numpyro
from numpyro import handlers
import numpyro.distributions as dist
from numpyro.infer import SVI, Trace_ELBO
from numpyro.infer.autoguide import (
    AutoDelta,
    AutoDiagonalNormal,
    AutoGuideList,
    AutoNormal,
)
from numpyro.infer.initialization import init_to_uniform


def model():
    with numpyro.plate("p", 2):
        numpyro.sample("x", dist.Normal(0.0, 1.0))


def auto_delta(model):
    return AutoDelta(model, init_loc_fn=init_to_uniform)


def guide_list(model):
    guides = AutoGuideList(model)
    guides.append(AutoNormal(handlers.block(model, hide=["none"])))
    return guides


GUIDES = [auto_delta, AutoDiagonalNormal, AutoNormal, guide_list]


def start(svi, rng_key, **kwargs):
    params = svi.get_params(svi.init(rng_key, **kwargs))
    return next(v for k, v in params.items() if k.endswith("loc"))


def make_svi(make_guide):
    return SVI(model, make_guide(model), numpyro.optim.Adam(0.1), Trace_ELBO())


@pytest.mark.parametrize("make_guide", GUIDES)
def test_init_draws_start_for_each_key(make_guide):
    svi = make_svi(make_guide)
    keys = jax.random.split(jax.random.key(0), 3)
    starts = [start(svi, key) for key in keys]
    assert not jnp.allclose(starts[0], starts[1])
    for key, expected in zip(keys, starts):
        assert_allclose(start(svi, key), expected)
        assert_allclose(start(make_svi(make_guide), key), expected)


@pytest.mark.parametrize("make_guide", GUIDES)
def test_init_inside_vmap_and_afterwards(make_guide):
    svi = make_svi(make_guide)
    keys = jax.random.split(jax.random.key(0), 3)
    starts = jax.vmap(lambda key: start(svi, key))(keys)
    expected = jnp.stack([start(svi, key) for key in keys])
    assert_allclose(starts, expected, rtol=1e-6)


def test_init_params_win():
    svi = make_svi(AutoNormal)
    given = jnp.array([1.0, 2.0])
    assert_allclose(
        start(svi, jax.random.key(0), init_params={"x_auto_loc": given}), given
    )
