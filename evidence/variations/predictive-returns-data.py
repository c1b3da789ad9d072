"""Variations of *Predictive returns the data that you observed*: whether the draws differ."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.contrib.control_flow import scan
from numpyro.handlers import condition
from numpyro.infer import Predictive

from evidence.variation import vary

X = np.linspace(-2, 2, 30)
Y = 2 * X
SAMPLES = {"slope": np.random.default_rng(0).normal(2.0, 0.1, size=50)}


def line(x, y=None, noise=dist.Normal):
    slope = numpyro.sample("slope", dist.Normal(0.0, 10.0))
    with numpyro.plate("points", len(x)):
        numpyro.sample("y", noise(slope * x, 1.0), obs=y)


def student(x, y=None):
    line(x, y, functools.partial(dist.StudentT, 4.0))


def walk(x, y=None):
    slope = numpyro.sample("slope", dist.Normal(0.0, 10.0))

    def step(level, each):
        level = numpyro.sample("y", dist.Normal(level + slope, 1.0), obs=each)
        return level, level

    scan(step, 0.0, y, length=len(x))


def differ(model, *data, **options):
    """Return whether any two draws differ."""
    draws = Predictive(model, SAMPLES, **options)(jax.random.PRNGKey(0), *data)["y"]
    return bool(jnp.ptp(draws, axis=0).max() > 0)


def three(model, cure=lambda model: differ(model, X), **options):
    return lambda: differ(model, X, Y, **options), True, lambda: cure(model)


vary("a line", "silent", "holds")(lambda: three(line))
vary("StudentT", "silent", "holds")(lambda: three(student))
vary("in scan", "silent", "holds")(lambda: three(walk))
vary("in parallel", "silent", "holds")(lambda: three(line, parallel=True))
vary("looks right: return_sites", "silent", "falls")(
    lambda: three(line, lambda model: differ(model, X, Y, return_sites=["y"]))
)
vary("looks right: zeros for the data", "silent", "falls")(
    lambda: three(line, lambda model: differ(model, X, 0 * Y))
)
vary("conditioned from outside", "silent", "holds")(
    lambda: (lambda: differ(condition(line, {"y": Y}), X), True, lambda: differ(line, X))
)
vary("new points, without data", "right", "holds")(
    lambda: (lambda: differ(line, X[:7]), True, lambda: differ(line, X))
)


@vary("counts of a class, by keyword, a partial", "silent", "holds")
def _():
    class Sales:
        def __call__(self, days, *, sold=None):
            rate = numpyro.sample("rate", dist.Gamma(2.0, 0.1))
            with numpyro.plate("days", days):
                numpyro.sample("sold", dist.Poisson(rate=rate), obs=sold)

    model, sold = Sales(), np.arange(5)
    posterior = {"rate": np.full(50, 20.0, "float32")}

    def varies(model):
        drawn = Predictive(model, posterior_samples=posterior)(jax.random.key(0), 5)["sold"]
        return bool((np.asarray(drawn, float).std(axis=0) > 1).all())

    return lambda: varies(functools.partial(model, sold=sold)), True, lambda: varies(model)


def _half_missing(leave_out):
    y, seen = np.float32([1.0, 2.0, np.nan]), np.array([True, True, False])

    def model(y=None, seen=None):
        mean = numpyro.sample("mean", dist.Normal(0.0, 10.0))
        with numpyro.plate("n", 3):
            filled = numpyro.sample("y", dist.Normal(mean, 1.0), obs=y, obs_mask=seen)
            numpyro.deterministic("filled", filled)

    def varies(*args):
        predict = Predictive(model, {"mean": np.zeros(50, "float32")})
        return (np.asarray(predict(jax.random.PRNGKey(0), *args)["filled"]).std(axis=0) > 0.5).all()

    return lambda: varies(y, seen), True, lambda: varies(*leave_out(seen))


vary("a mask of what was seen: the data left out", "silent", "holds")(
    lambda: _half_missing(lambda seen: (None, seen))
)
vary("a mask of what was seen: the mask left out too", "silent", "holds")(
    lambda: _half_missing(lambda seen: ())
)
