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
    AutoLaplaceApproximation,
    AutoLowRankMultivariateNormal,
    AutoMultivariateNormal,
    AutoNormal,
)


def growth(days, observed=None):
    rate = numpyro.sample("rate", dist.Normal(0.0, 5.0))
    height = numpyro.deterministic("height", rate * days)
    numpyro.sample("observed", dist.Normal(height, 1.0), obs=observed)


DAYS, HEIGHTS = jnp.array([1.0, 2.0]), jnp.array([2.0, 4.0])
NEW_DAYS = jnp.array([10.0, 20.0, 30.0])


@pytest.mark.parametrize("sample_shape", [(), (4,), (2, 3)])
@pytest.mark.parametrize(
    "guide_class",
    [
        AutoDelta,
        AutoDiagonalNormal,
        AutoLaplaceApproximation,
        AutoLowRankMultivariateNormal,
        AutoMultivariateNormal,
        AutoNormal,
    ],
)
def test_sample_posterior_at_new_arguments(guide_class, sample_shape):
    guide = guide_class(growth)
    svi = SVI(growth, guide, numpyro.optim.Adam(0.1), Trace_ELBO())
    params = svi.get_params(svi.init(jax.random.key(0), DAYS, HEIGHTS))

    def draw(*args, **kwargs):
        return guide.sample_posterior(
            jax.random.key(1), params, *args, sample_shape=sample_shape, **kwargs
        )

    for samples in (draw(NEW_DAYS), draw(days=NEW_DAYS), draw(NEW_DAYS, observed=None)):
        expected = samples["rate"][..., None] * NEW_DAYS
        assert_allclose(samples["height"], expected, rtol=1e-5)
    if guide_class is not AutoDelta:  # which runs the model
        # without arguments, as before: those of the first call
        samples = draw()
        expected = samples["rate"][..., None] * DAYS
        assert_allclose(samples["height"], expected, rtol=1e-5)


def test_median_keeps_arguments_of_first_call():
    guide = AutoNormal(growth)
    handlers.seed(guide, 0)(DAYS, HEIGHTS)
    params = {"rate_auto_loc": 2.0, "rate_auto_scale": 0.1}
    assert_allclose(guide.median(params)["height"], 2.0 * DAYS)
