# Copyright Contributors to the Pyro project.
# SPDX-License-Identifier: Apache-2.0

from numpy.testing import assert_allclose
import pytest

import jax
import jax.numpy as jnp

import numpyro
from numpyro import handlers
from numpyro.contrib.control_flow import cond, scan
import numpyro.distributions as dist
from numpyro.infer.util import initialize_model, log_density

XS = jnp.array([0.5, 1.5, 2.0])
VALUES = jnp.array([1.0, 2.0, 3.0])


def step(carry, x):
    z = numpyro.sample("z", dist.LogNormal(0.0, 1.0))
    numpyro.sample("x", dist.Normal(z, 0.5), obs=x)
    return carry, z


def scanned():
    return scan(step, None, XS)[1]


def chosen():
    branch = lambda _: numpyro.sample("z", dist.Normal(0.0, 1.0))  # noqa: E731
    return cond(True, branch, branch, None)


def scoped(model):
    inner = handlers.scope(model, prefix="b", divider=".")
    return handlers.scope(inner, prefix="a")


@pytest.mark.parametrize("handler", [handlers.condition, handlers.substitute])
@pytest.mark.parametrize("model, value", [(scanned, VALUES), (chosen, jnp.array(9.0))])
def test_data_of_scoped_control_flow(handler, model, value):
    given = handlers.seed(handler(scoped(model), {"a/b.z": value}), 0)
    trace = handlers.trace(given).get_trace()
    assert_allclose(trace["a/b.z"]["value"], value)
    assert_allclose(given(), value)
    # the name without the prefix belongs to no site
    other = handlers.seed(handler(scoped(model), {"z": value}), 0)
    assert not jnp.allclose(other(), value)


def test_data_inside_of_scope():
    inner = handlers.condition(scanned, {"z": VALUES})
    assert_allclose(handlers.seed(scoped(inner), 0)(), VALUES)


def test_condition_fn_of_scoped_scan():
    def condition_fn(site):
        return VALUES if site["name"] == "a/b.z" else None

    given = handlers.condition(scoped(scanned), condition_fn=condition_fn)
    assert_allclose(handlers.seed(given, 0)(), VALUES)


def test_hidden_type_of_scope():
    model = handlers.scope(scanned, prefix="a", hide_types=["sample"])
    given = handlers.condition(model, {"z": VALUES})
    assert_allclose(handlers.seed(given, 0)(), VALUES)


def test_replay_scoped_scan():
    guide_trace = handlers.trace(handlers.seed(scoped(scanned), 1)).get_trace()
    replayed = handlers.replay(handlers.seed(scoped(scanned), 2), guide_trace)
    assert_allclose(replayed(), guide_trace["a/b.z"]["value"])


def test_gradient_of_scoped_scan():
    info = initialize_model(jax.random.key(0), scoped(scanned))
    plain = initialize_model(jax.random.key(0), scanned)
    actual = jax.grad(info.potential_fn)({"a/b.z": VALUES})["a/b.z"]
    expected = jax.grad(plain.potential_fn)({"z": VALUES})["z"]
    assert_allclose(actual, expected, rtol=1e-5)
    density, _ = log_density(scoped(scanned), (), {}, {"a/b.z": VALUES})
    assert_allclose(density, log_density(scanned, (), {}, {"z": VALUES})[0], rtol=1e-5)
