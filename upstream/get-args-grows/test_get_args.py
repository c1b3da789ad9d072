# Copyright Contributors to the Pyro project.
# SPDX-License-Identifier: Apache-2.0

import copy
import pickle

from numpy.testing import assert_allclose
import pytest

import jax
import jax.numpy as jnp

import numpyro.distributions as dist

MATRIX = jnp.array([[4.0, 2.0], [2.0, 2.0]])


def mvn(**matrix):
    return dist.MultivariateNormal(jnp.ones(2), **matrix)


@pytest.mark.parametrize(
    "d, lazy",
    [
        (mvn(scale_tril=jnp.linalg.cholesky(MATRIX)), "covariance_matrix"),
        (mvn(covariance_matrix=MATRIX), "precision_matrix"),
        (mvn(precision_matrix=MATRIX), "covariance_matrix"),
        (dist.WishartCholesky(4.0, scale_tril=jnp.eye(2)), "rate_matrix"),
        (dist.WishartCholesky(4.0, rate_matrix=jnp.eye(2)), "scale_matrix"),
        (
            dist.CirculantNormal(
                jnp.zeros(4), covariance_row=jnp.array([4.0, 1.0, 0.5, 1.0])
            ),
            "covariance_row",
        ),
    ],
)
def test_get_args_whatever_was_given_and_read(d, lazy):
    expected = set(d.get_args())
    getattr(d, lazy)
    assert set(d.get_args()) == expected
    assert set(copy.deepcopy(d).get_args()) == expected
    assert set(pickle.loads(pickle.dumps(d)).get_args()) == expected
    assert set(jax.tree.map(lambda x: x, d).get_args()) == expected


@pytest.mark.parametrize(
    "name", ["covariance_matrix", "precision_matrix", "scale_tril"]
)
def test_get_args_rebuild(name):
    value = jnp.linalg.cholesky(MATRIX) if name == "scale_tril" else MATRIX
    d = mvn(**{name: value})
    d.covariance_matrix
    rebuilt = dist.MultivariateNormal(**d.get_args())
    x = jnp.array([0.3, -1.0])
    assert_allclose(rebuilt.log_prob(x), d.log_prob(x), rtol=1e-5)


@pytest.mark.parametrize("name", ["covariance_matrix", "scale_tril"])
def test_get_args_in_scan(name):
    d = mvn(**{name: jnp.eye(2)})
    d.covariance_matrix

    def step(args, _):
        return dist.MultivariateNormal(**args).get_args(), None

    last, _ = jax.lax.scan(step, d.get_args(), None, length=2)
    assert set(last) == {"loc", "scale_tril"}


def test_validation_still_sees_what_was_given():
    with pytest.raises(ValueError, match="invalid covariance_matrix"):
        mvn(covariance_matrix=-MATRIX).validate_args()
