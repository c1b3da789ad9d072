# Copyright Contributors to the Pyro project.
# SPDX-License-Identifier: Apache-2.0

import numpy as np
from numpy.testing import assert_allclose
import pytest

import jax
import jax.numpy as jnp

import numpyro
from numpyro.contrib.control_flow import scan
import numpyro.distributions as dist
from numpyro.distributions.transforms import (
    AffineTransform,
    ExpTransform,
    StickBreakingTransform,
)
from numpyro.infer.util import log_density

N = 3
PROBS = np.array([0.3, 0.7])


def affine(base, loc):
    return dist.TransformedDistribution(base, AffineTransform(loc, 2.0))


# a distribution for each step, and a value for it
COMPOSED = {
    "affine": (lambda x: affine(dist.Normal(0.0, 1.0), x), 0.5),
    "exp_of_batch": (
        lambda x: dist.TransformedDistribution(
            dist.Normal(x * jnp.ones(N), 1.0), ExpTransform()
        ),
        0.5,
    ),
    "stick_breaking": (
        lambda x: dist.TransformedDistribution(
            dist.Normal(x * jnp.ones(2), 1.0).to_event(1), StickBreakingTransform()
        ),
        np.array([0.2, 0.3, 0.5]),
    ),
    "folded": (lambda x: dist.FoldedDistribution(dist.Normal(x, 1.0)), 0.5),
    "mixture_same_family": (
        lambda x: dist.MixtureSameFamily(
            dist.Categorical(probs=PROBS), dist.Normal(x + jnp.arange(2.0), 1.0)
        ),
        0.5,
    ),
    "mixture_same_family_of_batch": (
        lambda x: dist.MixtureSameFamily(
            dist.Categorical(probs=PROBS * jnp.ones((N, 1))),
            dist.Normal(x + jnp.arange(2.0), 1.0),
        ),
        0.5,
    ),
    "mixture_general": (
        lambda x: dist.MixtureGeneral(
            dist.Categorical(probs=PROBS),
            [dist.Normal(x * jnp.ones(N), 1.0), dist.Normal(x, 2.0)],
        ),
        0.5,
    ),
    "zero_sum_normal": (
        lambda x: dist.ZeroSumNormal(x + 1.0, event_shape=(3,)),
        np.array([0.5, 1.0, -1.5]),
    ),
    "masked": (lambda x: affine(dist.Normal(0.0, 1.0), x).mask(True), 0.5),
}


def step(carry, x, make, value, sizes):
    d = make(x)
    plates = [numpyro.plate(f"p{i}", n, dim=-1 - i) for i, n in enumerate(sizes)]
    for plate in plates:
        plate.__enter__()
    batch_shape = jnp.broadcast_shapes(d.batch_shape, tuple(reversed(sizes)))
    # other values for the members of the plate, except on a simplex or a plane
    noise = 1.0 + np.arange(float(np.prod(batch_shape, dtype=int))) / 10
    noise = 1.0 if np.shape(value) == (3,) else noise.reshape(batch_shape)
    noise = np.reshape(noise, np.shape(noise) + (1,) * d.event_dim)
    value = np.broadcast_to(value, batch_shape + d.event_shape) * noise
    numpyro.sample("y", d, obs=value)
    for plate in reversed(plates):
        plate.__exit__(None, None, None)
    return carry, None


SIZES = [(name, (N,)) for name in COMPOSED] + [
    ("affine", (N, 2)),
    ("exp_of_batch", (N, 2)),
    ("zero_sum_normal", ()),
]


@pytest.mark.parametrize("name, sizes", SIZES)
def test_scan_composed_distribution(name, sizes):
    make, value = COMPOSED[name]
    # as many steps as members of the plate: a mistake is no error of shapes
    xs = jnp.array([0.1, 1.0, 2.5])

    def one(x):
        density, trace = log_density(step, (None, x, make, value, sizes), {}, {})
        shapes.append(trace["y"]["fn"].batch_shape)
        return density

    def scanned(xs):
        model = lambda: scan(lambda c, x: step(c, x, make, value, sizes), None, xs)
        density, trace = log_density(model, (), {}, {})
        fn = trace["y"]["fn"]
        draw = jax.eval_shape(fn.sample, jax.random.key(0))
        shapes.extend([fn.batch_shape, draw.shape])
        return density

    shapes = []
    expected = sum(map(jax.jit(one), xs))
    actual = jax.jit(scanned)(xs)
    assert_allclose(actual, expected, rtol=1e-4)
    assert shapes[1] == (len(xs),) + shapes[0]
    assert shapes[2] == shapes[1] + make(0.1).event_shape
