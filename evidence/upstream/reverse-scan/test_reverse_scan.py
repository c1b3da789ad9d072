# Copyright Contributors to the Pyro project.
# SPDX-License-Identifier: Apache-2.0

from numpy.testing import assert_allclose
import pytest

import jax
import jax.numpy as jnp

import numpyro
from numpyro import handlers
from numpyro.contrib.control_flow import scan
import numpyro.distributions as dist
from numpyro.infer.util import initialize_model, log_density

XS = jnp.array([0.5, 1.5, 2.0, 3.5, 5.0])
LEVELS = jnp.array([0.6, 1.4, 2.2, 3.3, 4.9])


def step(after, x):
    level = numpyro.sample("level", dist.LogNormal(jnp.log(after), 1.0))
    numpyro.sample("x", dist.Normal(level, 0.5), obs=x)
    return level, level


def backwards():
    return scan(step, 5.0, XS, reverse=True)[1]


def loop():
    after = 5.0
    for i in reversed(range(len(XS))):
        after = numpyro.sample(f"level_{i}", dist.LogNormal(jnp.log(after), 1.0))
        numpyro.sample(f"x_{i}", dist.Normal(after, 0.5), obs=XS[i])


@pytest.mark.parametrize("handler", [handlers.condition, handlers.substitute])
def test_reverse_scan_data(handler):
    given = handlers.seed(handler(backwards, {"level": LEVELS}), 0)
    assert_allclose(given(), LEVELS)
    assert_allclose(handlers.trace(given).get_trace()["level"]["value"], LEVELS)


def test_reverse_scan_replay():
    trace = handlers.trace(handlers.seed(backwards, 1)).get_trace()
    replayed = handlers.replay(handlers.seed(backwards, 2), trace)
    assert_allclose(replayed(), trace["level"]["value"])


def test_reverse_scan_log_density():
    actual, _ = log_density(backwards, (), {}, {"level": LEVELS})
    by_name = {f"level_{i}": level for i, level in enumerate(LEVELS)}
    expected, _ = log_density(loop, (), {}, by_name)
    assert_allclose(actual, expected, rtol=1e-5)


def test_reverse_scan_potential():
    scanned = initialize_model(jax.random.key(0), backwards)
    looped = initialize_model(jax.random.key(0), loop)
    unconstrained = jnp.log(LEVELS)
    actual = scanned.potential_fn({"level": unconstrained})
    by_name = {f"level_{i}": z for i, z in enumerate(unconstrained)}
    assert_allclose(actual, looped.potential_fn(by_name), rtol=1e-5)
    values = scanned.postprocess_fn({"level": unconstrained})["level"]
    assert_allclose(values, LEVELS, rtol=1e-5)


@pytest.mark.parametrize("length", [1, 2, 5])
@pytest.mark.parametrize("history", [1, 2])
def test_reverse_scan_enum_outputs(length, history):
    pytest.importorskip("funsor")
    from numpyro.contrib.funsor import config_enumerate, enum

    def transition(carry, x):
        numpyro.sample("z", dist.Bernoulli(0.3))
        return carry, x

    @config_enumerate
    def model():
        return scan(transition, None, XS[:length], reverse=True, history=history)[1]

    with handlers.block(), enum(), handlers.seed(rng_seed=0):
        assert_allclose(model(), XS[:length])
