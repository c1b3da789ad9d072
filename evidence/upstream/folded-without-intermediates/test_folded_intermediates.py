# Copyright Contributors to the Pyro project.
# SPDX-License-Identifier: Apache-2.0

from numpy.testing import assert_allclose

import jax
import jax.numpy as jnp

import numpyro
import numpyro.distributions as dist
from numpyro.infer import SVI, Trace_ELBO


def test_folded_log_prob_with_intermediates():
    d = dist.FoldedDistribution(dist.Normal(1.0, jnp.ones(3)))
    value, intermediates = d.sample_with_intermediates(jax.random.key(0))
    assert_allclose(d.log_prob(value, intermediates), d.log_prob(value))
    assert_allclose(d.log_prob(value, intermediates=intermediates), d.log_prob(value))


def test_folded_latent_in_svi():
    def guide():
        loc = numpyro.param("loc", 1.0)
        numpyro.sample("x", dist.FoldedDistribution(dist.Normal(loc, 1.0)))

    def model():
        numpyro.sample("x", dist.HalfNormal(2.0))

    svi = SVI(model, guide, numpyro.optim.Adam(0.1), Trace_ELBO())
    state, loss = svi.update(svi.init(jax.random.key(0)))
    assert jnp.isfinite(loss)
    assert jnp.isfinite(svi.get_params(state)["loc"])
