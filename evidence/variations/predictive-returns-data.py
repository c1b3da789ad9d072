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

from tools.variations import vary

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
