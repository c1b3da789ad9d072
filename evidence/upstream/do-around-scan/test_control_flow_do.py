# Copyright Contributors to the Pyro project.
# SPDX-License-Identifier: Apache-2.0

import warnings

from numpy.testing import assert_allclose
import pytest

import jax.numpy as jnp

import numpyro
from numpyro import handlers
from numpyro.contrib.control_flow import cond, scan
import numpyro.distributions as dist

LENGTH = 3


def step(carry, _):
    with numpyro.plate("p", 2):
        z = numpyro.sample("z", dist.Normal(0.0, 1.0))
        numpyro.sample("x", dist.Normal(z, 1.0))
    return carry + z, z


def scanned():
    return scan(step, jnp.zeros(2), None, length=LENGTH)


def chosen():
    branch = lambda _: numpyro.sample("z", dist.Normal(0.0, 1.0))  # noqa: E731
    return cond(True, branch, branch, None)


@pytest.mark.parametrize(
    "value",
    [7.0, jnp.arange(2.0), jnp.arange(2.0 * LENGTH).reshape(LENGTH, 2)],
    ids=["scalar", "step", "series"],
)
def test_do_around_scan(value):
    expected = jnp.broadcast_to(value, (LENGTH, 2))
    model = handlers.seed(handlers.do(scanned, {"z": value}), 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it intervenes once
        trace = handlers.trace(model).get_trace()
    last, series = model()
    assert_allclose(jnp.broadcast_to(series.reshape(LENGTH, -1), (LENGTH, 2)), expected)
    assert_allclose(last, expected.sum(0))
    # the site itself is drawn anew, and is not observed
    assert set(trace) >= {"z", "x"} and "z__CF" not in trace
    assert trace["z"]["value"].shape == (LENGTH, 2)
    assert not jnp.allclose(trace["z"]["value"], expected)
    assert not trace["z"]["is_observed"]


def test_do_around_cond():
    model = handlers.seed(handlers.do(chosen, {"z": 7.0}), 0)
    assert_allclose(model(), 7.0)
    trace = handlers.trace(model).get_trace()
    assert trace["z"]["value"] != 7.0
    assert not trace["z"]["is_observed"]


def test_do_of_other_site_around_scan():
    plain = handlers.seed(scanned, 0)()
    other = handlers.seed(handlers.do(scanned, {"other": 7.0}), 0)()
    assert_allclose(other[1], plain[1])


def test_do_and_condition_around_scan():
    observed = jnp.ones((LENGTH, 2))
    model = handlers.condition(handlers.do(scanned, {"z": 7.0}), {"x": observed})
    trace = handlers.trace(handlers.seed(model, 0)).get_trace()
    assert_allclose(trace["x"]["fn"].base_dist.loc.ravel()[0], 7.0)
    assert trace["x"]["is_observed"]
