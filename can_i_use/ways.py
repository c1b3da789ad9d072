"""Parameters, and second ways to a number. A cell's program begins with what it needs of this."""

import contextlib
import os
import pickle
from functools import cache, partial
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from jax import random
from jax.numpy.linalg import cholesky  # in expressions of rows
from numpyro import handlers
from numpyro.contrib import control_flow
from numpyro.distributions import biject_to
from numpyro.infer import SVI, Predictive, Trace_ELBO
from numpyro.infer.autoguide import AutoDelta
from numpyro.infer.reparam import TransformReparam
from numpyro.infer.util import log_density, potential_energy
from scipy import stats

KEY = random.PRNGKey(0)
ONE = 0.4  # the value of `a` where there is one distribution


class No(Exception):
    """The construct does not apply to the distribution."""


def vector(v):
    return jnp.stack([v - 0.3, 0.2 - 0.3 * v], -1)


def positives(v):
    return jnp.stack([0.5 + v, 1.5 - v], -1)


def simplex(v):
    return jnp.stack([1 + v, 2 + 0 * v, 3 - v], -1) / 6


def matrix(v, constant):
    return jnp.asarray(v)[..., None, None] * jnp.eye(2) + jnp.array(constant)


def triangle(v):
    return matrix(v, [[1.0, 0.0], [0.3, 0.8]])


def covariance(v):
    return matrix(v, [[2.0, 0.3], [0.3, 1.0]])


def correlation(v):
    return jnp.eye(2) + jnp.asarray(v)[..., None, None] * 0.5 * (1 - jnp.eye(2))


def many(number):
    return jnp.linspace(0.1, 0.9, number)


@cache
def draws(law):
    """Four values of each of four days' distributions."""
    keys = random.split(KEY, 4)
    return jnp.stack([law(a).sample(key, (4,)) for a, key in zip(many(4), keys)])


@cache
def loop(law):
    """The log densities of `draws`, each by a call of its own."""
    pairs = zip(many(4), draws(law))
    return np.array([[float(law(a).log_prob(x)) for x in row] for a, row in pairs])


@cache
def one(law):
    """One distribution, a value, and its log density."""
    d = law(ONE)
    x = d.sample(KEY)
    return d, x, d.log_prob(x)


@cache
def many_draws(law):
    """4,000 values of one distribution."""
    return np.asarray(law(ONE).sample(KEY, (4000,)), float)


def density(model, **given):
    """The log density of a model, with values for its latent sites."""
    return log_density(handlers.seed(model, 0), (), {}, given)[0]


def alike(values):
    """The shape of values, and whether all along the first axis are one."""
    values = np.asarray(values)
    return np.array([*values.shape, (values == values[:1]).all()])


def site(law):
    """A model of one latent site."""
    return lambda: numpyro.sample("x", law(ONE))


def latent(law):
    """One distribution, a bijection from the reals, and a point there."""
    d = law(ONE)
    if d.support.is_discrete:
        raise No
    move = biject_to(d.support)
    shape = move.inverse_shape(d.event_shape)
    return d, move, 0.15 + 0.2 * jnp.arange(np.prod(shape, dtype=int)).reshape(shape)


def unconstrained(d, move, z):
    """The log density at a point of the reals, with the volume of the bijection."""
    x = move(z)
    if np.size(x) != np.size(z):
        return d.log_prob(x) + jnp.sum(move.log_abs_det_jacobian(z, x))
    slopes = jax.jacfwd(lambda flat: move(flat.reshape(z.shape)).ravel())(z.ravel())
    return d.log_prob(x) + jnp.linalg.slogdet(slopes)[1]


def loss(law, key, guide):
    """The loss of SVI before its first step, and the parameters."""
    model = site(law)
    svi = SVI(model, guide(model), numpyro.optim.Adam(0.1), Trace_ELBO())
    state = svi.init(key)
    return svi.evaluate(state), svi.get_params(state)


@contextlib.contextmanager
def float64():
    """Compute in 64 bits."""
    jax.config.update("jax_enable_x64", True)
    try:
        yield
    finally:
        jax.config.update("jax_enable_x64", False)


def wide(values):
    """Values in the widest type of their kind."""
    values = np.asarray(values)
    return jnp.asarray(values, float if values.dtype.kind == "f" else int)


@cache
def table(law):
    """For a distribution of one number: increasing values, and the probability up to each."""
    with float64():
        d = law(ONE)
        if d.event_shape or isinstance(d, dist.Delta):
            raise No
        if d.support.is_discrete:
            x = np.arange(3000)
            x = x[np.asarray(d.support(x))]
            return x, np.cumsum(np.exp(d.log_prob(jnp.asarray(x))))
        ends = 11.0 if d.support is dist.constraints.real else 4.0
        z, move = jnp.sinh(jnp.linspace(-ends, ends, 20001)), biject_to(d.support)
        x, slope = np.asarray(move(z)), np.abs(jax.vmap(jax.grad(move))(z))
        y = np.exp(d.log_prob(x)) * slope
        up = np.cumsum(np.diff(z, prepend=z[0]) * (y + np.roll(y, 1)) / 2)
        up += np.exp(d.log_prob(0.0)) if hasattr(d, "gate") else 0.0  # a hurdle is a point
        return (x, up) if x[0] < x[-1] else (x[::-1], 1 - up[::-1])


def needed(method, *arguments):
    """What a method returns, where the distribution has it on this machine."""
    try:
        return method(*arguments)
    except (NotImplementedError, ImportError):
        raise No from None


def right(got, expected, tolerance=1e-3):
    """Whether two numbers agree, in float32 unless another tolerance is given."""
    got, expected = np.asarray(got, float), np.asarray(expected, float)
    return got.shape == expected.shape and np.allclose(
        got, expected, min(tolerance, 0.01), tolerance
    )


def first(value):
    """The first numbers of a value, as words."""
    return " ".join(f"{number:.5g}" for number in np.ravel(np.asarray(value, float))[:4])
