"""Variations of *MultivariateNormal inside scan*.

Log densities; the cure is noise, transformed by hand.
"""

import contextlib

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.contrib.control_flow import scan
from numpyro.infer.util import log_density
from scipy import stats

from evidence.variation import vary

jax.config.update("jax_disable_most_optimizations", True)


def three(days=5, animals=5, size=2, by="scale_tril", number=0, axis=False, cured=None):
    rng = np.random.default_rng(number)
    low = np.tril(rng.normal(size=(size, size))) * 0.3 + np.eye(size)
    matrix = {
        "scale_tril": low,
        "covariance_matrix": low @ low.T,
        "precision_matrix": np.linalg.inv(low @ low.T),
    }[by]
    means, noise = 1.0 + np.arange(days), rng.normal(size=(days, animals, size))
    place = means[:, None, None] + noise @ low.T
    inside = numpyro.plate("animal", animals)

    def given(carry, mean):
        shape = (animals, size) if axis else (size,)
        with inside:
            spot = dist.MultivariateNormal(mean * jnp.ones(shape), **{by: jnp.asarray(matrix)})
            numpyro.sample("x", spot)
        return carry, None

    def by_noise(carry, mean):
        with inside:
            standard = dist.Normal(jnp.zeros(size), 1.0).to_event(1)
            drawn = numpyro.sample("x", standard)
        return carry, mean + drawn @ low.T

    def density(step, value):
        model = lambda: scan(step, None, jnp.asarray(means))
        return log_density(model, (), {}, {"x": jnp.asarray(value)})[0]

    def looks_right(carry, mean):
        base = dist.MultivariateNormal(mean * jnp.ones(size), scale_tril=jnp.asarray(low))
        spot = cured(base, animals)
        with contextlib.nullcontext() if spot.event_dim > 1 else inside:
            numpyro.sample("x", spot)
        return carry, None

    volume = days * animals * np.log(np.linalg.det(low))
    exact = stats.multivariate_normal(cov=low @ low.T).logpdf(place - means[:, None, None]).sum()
    if cured:
        return lambda: density(given, place), exact, lambda: density(looks_right, place)
    return lambda: density(given, place), exact, lambda: density(by_noise, noise) - volume


@vary("five days, five animals", "right", "holds", then=("silent", "holds"))
def _():
    return three()


@vary("four days, five animals", "right", "holds", then=("TypeError", "holds"))
def _():
    return three(days=4)


@vary("one animal", "right", "holds", then=("ValueError", "holds"))
def _():
    return three(days=4, animals=1)


@vary("one day", "right", "holds")
def _():
    return three(days=1)


@vary("three coordinates", "right", "holds", then=("silent", "holds"))
def _():
    return three(size=3)


@vary("one coordinate", "right", "holds", then=("silent", "holds"))
def _():
    return three(size=1)


@vary("made from a covariance", "right", "holds", then=("silent", "holds"))
def _():
    return three(by="covariance_matrix")


@vary("made from a precision", "right", "holds", then=("silent", "holds"))
def _():
    return three(by="precision_matrix")


@vary("the mean has the axis", "right", "holds")
def _():
    return three(axis=True)


@vary("another seed, as many coordinates as days", "right", "holds", then=("silent", "holds"))
def _():
    return three(size=5, number=3)


def expanded(base, animals):
    return base.expand([animals])


def as_event(base, animals):
    return base.expand([animals]).to_event(1)


def axis_as_event(base, animals):
    each = base.loc * jnp.ones((animals, 1))
    return dist.MultivariateNormal(each, scale_tril=base.scale_tril).to_event(1)


def masked(base, animals):
    return base.mask(True)


vary("looks right: expand", "right", "holds", then=("silent", "falls"))(
    lambda: three(cured=expanded)
)
vary("looks right: to_event and no plate", "right", "holds", then=("silent", "falls"))(
    lambda: three(cured=as_event)
)
vary("looks right: to_event, four days", "right", "holds", then=("TypeError", "TypeError"))(
    lambda: three(days=4, cured=as_event)
)
vary("ones, to_event and no plate", "right", "holds", then=("silent", "holds"))(
    lambda: three(cured=axis_as_event)
)
vary("ones, to_event, four days", "right", "holds", then=("TypeError", "holds"))(
    lambda: three(days=4, cured=axis_as_event)
)
vary("looks right: a mask", "right", "holds", then=("silent", "falls"))(lambda: three(cured=masked))


@vary("64 bits", "right", "holds", then=("silent", "holds"))
def _():
    jax.config.update("jax_enable_x64", True)  # until the end, so this row is the last
    return three()
