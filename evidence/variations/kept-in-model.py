"""Variations of *A prior stored on the model stays that of the first data set*.

The log density of the second data set.
"""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.infer.util import log_density
from scipy import stats

from evidence.variation import vary

MONDAY = np.array([2.1, 1.4, 2.3, 1.9, 2.0])


def sites(prior, readings):
    level = numpyro.sample("level", prior)
    numpyro.sample("readings", dist.Normal(level, 1.0), obs=readings)


def prior_of(readings):
    return dist.Normal(readings.mean(), readings.std())


class Tank:
    prior = None

    def __call__(self, readings):
        if self.prior is None:
            self.prior = prior_of(readings)
        sites(self.prior, readings)


class ByShape:
    def __init__(self):
        self.priors = {}

    def __call__(self, readings):
        sites(self.priors.setdefault(readings.shape, prior_of(readings)), readings)


class Module(eqx.Module):
    priors: list = eqx.field(default_factory=list)

    def __call__(self, readings):
        if not self.priors:
            self.priors.append(prior_of(readings))
        sites(self.priors[0], readings)


def default_argument():
    def model(readings, kept=[]):  # noqa: B006
        kept = kept or kept.append(prior_of(readings)) or kept
        sites(kept[0], readings)

    return model


def with_cache():
    first = []

    @functools.cache
    def prior():
        return prior_of(first[-1])

    return lambda readings: first.append(readings) or sites(prior(), readings)


class Reset(Tank):
    def __call__(self, readings):
        self.prior = None
        super().__call__(readings)


class Given:
    """The prior is made from the data before the model runs."""

    def __call__(self, readings):
        sites(prior_of(readings), readings)


def three(make=Tank, factor=10.0, jit=False, cured=Given, size=5):
    first, second = jnp.asarray(MONDAY), jnp.asarray(factor * MONDAY[:size])
    values = np.asarray(second)
    exact = stats.norm(values.mean(), values.std()).logpdf(20.0)
    exact += stats.norm(20.0, 1.0).logpdf(values).sum()

    def run(make):
        model = make()
        density = lambda readings: log_density(model, (readings,), {}, {"level": 20.0})[0]
        density = jax.jit(density) if jit else density
        density(first)
        return density(second)

    return lambda: run(make), exact, lambda: run(cured)


vary("an attribute", "silent", "holds")(lambda: three())
vary("readings half as large", "silent", "holds")(lambda: three(factor=0.5))
vary("the same readings", "right", "holds")(lambda: three(factor=1.0))
vary("three readings after five", "silent", "holds")(lambda: three(size=3))
vary("under jit, the same shape", "right", "holds")(lambda: three(jit=True))
vary("under jit, another shape", "UnexpectedTracerError", "holds")(lambda: three(jit=True, size=3))
vary("a mutable default argument", "silent", "holds")(lambda: three(default_argument))
vary("functools.cache", "silent", "holds")(lambda: three(with_cache))
vary("a list in a module of Equinox", "silent", "holds")(lambda: three(Module))
vary("the cure is a reset in each run", "silent", "holds")(lambda: three(cured=Reset))
vary("looks right: a prior for each shape", "silent", "falls")(lambda: three(cured=ByShape))


@vary("a cached property of a class, jitted density", "silent", "holds")
def _():
    class Kept:
        def __init__(self, readings):
            self.readings = readings

        @functools.cached_property
        def prior(self):
            return dist.Exponential(1 / np.mean(self.readings))

        def __call__(self):
            level = numpyro.sample("level", self.prior)
            numpyro.sample("reading", dist.Normal(level, 1.0), obs=self.readings)

    class Local(Kept):
        def __call__(self):
            prior = dist.Exponential(1 / np.mean(self.readings))
            level = numpyro.sample("level", prior)
            numpyro.sample("reading", dist.Normal(level, 1.0), obs=self.readings)

    monday = np.float32([2.1, 1.4, 2.3])

    def density(model):
        log_density(model, (), {}, {"level": 20.0})
        model.readings = 10 * monday
        return jax.jit(lambda level: log_density(model, (), {}, {"level": level})[0])(20.0)

    expected = stats.expon.logpdf(20.0, scale=10 * monday.mean())
    expected += stats.norm.logpdf(10 * monday, 20.0, 1.0).sum()
    return lambda: density(Kept(monday)), expected, lambda: density(Local(monday))


@vary("a dictionary of priors by name", "silent", "holds")
def _():
    priors = {}

    def kept(readings):
        if "level" not in priors:
            priors["level"] = dist.Normal(readings.mean(), 1.0)
        level = numpyro.sample("level", priors["level"])
        numpyro.sample("reading", dist.Normal(level, 1.0), obs=readings)

    def local(readings):
        prior = dist.Normal(readings.mean(), 1.0)
        level = numpyro.sample("level", prior)
        numpyro.sample("reading", dist.Normal(level, 1.0), obs=readings)

    monday = jnp.array([2.1, 1.4, 2.3])

    def density(model):
        log_density(model, (monday,), {}, {"level": 20.0})
        return log_density(model, (10 * monday,), {}, {"level": 20.0})[0]

    tuesday = 10 * np.asarray(monday)
    expected = stats.norm.logpdf([20.0, *tuesday], [tuesday.mean(), 20, 20, 20], 1.0).sum()
    return lambda: density(kept), expected, lambda: density(local)
