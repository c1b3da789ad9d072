# Copyright Contributors to the Pyro project.
# SPDX-License-Identifier: Apache-2.0

import inspect

import pytest

import jax

import numpyro.distributions as dist

CLASSES = [
    getattr(dist, name)
    for name in dist.__all__
    if inspect.isclass(getattr(dist, name))
    and issubclass(getattr(dist, name), dist.Distribution)
]


def declared(cls, name, default):
    fields = ()
    for base in inspect.getmro(cls):
        if issubclass(base, dist.Distribution):
            fields += tuple(base.__dict__.get(name, default(base)))
    return tuple(dict.fromkeys(fields))


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_pytree_fields_keep_declared_order(cls):
    fields = cls.gather_pytree_data_fields()
    expected = declared(
        cls, "pytree_data_fields", lambda base: base.__dict__.get("arg_constraints", {})
    )
    assert fields == tuple(name for name in expected if name in fields)

    aux_fields = cls.gather_pytree_aux_fields()
    expected = ("_validate_args",) + declared(cls, "pytree_aux_fields", lambda base: ())
    assert aux_fields == tuple(dict.fromkeys(expected))


def test_leaves_keep_order():
    d = dist.LowRankMultivariateNormal(
        loc=jax.numpy.zeros(2),
        cov_factor=jax.numpy.ones((2, 1)),
        cov_diag=2 * jax.numpy.ones(2),
    )
    leaves = jax.tree.leaves(d)
    for leaf, name in zip(leaves, ("loc", "cov_factor", "cov_diag")):
        assert leaf is getattr(d, name)
