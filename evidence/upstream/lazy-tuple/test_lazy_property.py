# Copyright Contributors to the Pyro project.
# SPDX-License-Identifier: Apache-2.0

import pytest

import jax
import jax.numpy as jnp

import numpyro.distributions as dist
from numpyro.distributions.util import lazy_property


class Interval(dist.Uniform):
    @lazy_property
    def center_and_width(self):
        return (self.low + self.high) / 2, self.high - self.low

    @lazy_property
    def by_name(self):
        return {"width": self.high - self.low}

    @lazy_property
    def name(self):
        return "interval"


@pytest.mark.parametrize("name", ["center_and_width", "by_name"])
def test_lazy_property_keeps_no_tracer(name):
    d = Interval(jnp.zeros(2), jnp.ones(2))
    jax.jit(lambda x: [x + leaf for leaf in jax.tree.leaves(getattr(d, name))])(1.0)
    assert name not in d.__dict__
    for leaf in jax.tree.leaves(getattr(d, name)):
        assert not isinstance(leaf, jax.core.Tracer)
        leaf + 1.0


@pytest.mark.parametrize("name", ["center_and_width", "by_name", "name"])
def test_lazy_property_keeps_values(name):
    d = Interval(jnp.zeros(2), jnp.ones(2))
    value = getattr(d, name)
    assert d.__dict__[name] is value
    assert getattr(d, name) is value
