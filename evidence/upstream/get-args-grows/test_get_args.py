# Copyright Contributors to the Pyro project.
# SPDX-License-Identifier: Apache-2.0

import copy
import pickle

import pytest

import jax
import jax.numpy as jnp

import numpyro.distributions as dist


@pytest.mark.parametrize(
    "d, lazy",
    [
        (dist.MultivariateNormal(scale_tril=jnp.eye(2)), "covariance_matrix"),
        (dist.MultivariateNormal(covariance_matrix=jnp.eye(2)), "precision_matrix"),
        (dist.WishartCholesky(4.0, scale_tril=jnp.eye(2)), "rate_matrix"),
    ],
    ids=["scale_tril", "covariance_matrix", "wishart"],
)
def test_get_args_after_read(d, lazy):
    expected = set(d.get_args())
    assert lazy not in expected
    getattr(d, lazy)
    assert set(d.get_args()) == expected
    assert set(copy.deepcopy(d).get_args()) == expected
    assert set(pickle.loads(pickle.dumps(d)).get_args()) == expected


def test_get_args_given_or_derived():
    d = dist.MultivariateNormal(precision_matrix=jnp.eye(2))
    assert set(d.get_args()) == {"loc", "precision_matrix", "scale_tril"}


def test_get_args_of_an_older_pickle():
    d = dist.MultivariateNormal(precision_matrix=jnp.eye(2))
    expected = set(d.get_args())
    d.__dict__.pop("_init_params", None)
    assert set(d.get_args()) == expected


def test_get_args_after_read_and_copy():
    d = dist.MultivariateNormal(precision_matrix=jnp.eye(2))
    d.covariance_matrix
    copied = jax.tree.map(lambda x: x, d)
    copied.covariance_matrix
    assert set(copied.get_args()) <= set(d.get_args())
    assert "covariance_matrix" not in copied.get_args()


def test_get_args_in_scan():
    d = dist.MultivariateNormal(jnp.zeros(2), scale_tril=jnp.eye(2))
    d.covariance_matrix

    def step(args, _):
        return dist.MultivariateNormal(**args).get_args(), None

    last, _ = jax.lax.scan(step, d.get_args(), None, length=2)
    assert set(last) == {"loc", "scale_tril"}
