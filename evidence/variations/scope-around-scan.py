"""Variations of *A `scope` around `scan` or `cond` cuts the sampler off*: the gradient at zero."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro import handlers
from numpyro.contrib.control_flow import cond, scan
from numpyro.infer.util import initialize_model, log_density
from scipy import stats

from evidence.variation import vary

jax.config.update("jax_disable_most_optimizations", True)
scope = handlers.scope


def day(level, reading):
    level = numpyro.sample("level", dist.Normal(level, 1.0))
    numpyro.sample("reading", dist.Normal(level, 0.5), obs=reading)
    return level, None


def around(readings):
    with scope(prefix="station"):
        scan(day, 0.0, jnp.asarray(readings))


def as_function(readings):
    return scope(lambda: scan(day, 0.0, jnp.asarray(readings)), prefix="station")()


def around_step(readings):
    scan(scope(day, prefix="station"), 0.0, jnp.asarray(readings))


def inside_step(readings):
    def scoped(level, reading):
        with scope(prefix="station"):
            return day(level, reading)

    scan(scoped, 0.0, jnp.asarray(readings))


def by_name(readings):
    def named(level, reading):
        level = numpyro.sample("station/level", dist.Normal(level, 1.0))
        numpyro.sample("station/reading", dist.Normal(level, 0.5), obs=reading)
        return level, None

    scan(named, 0.0, jnp.asarray(readings))


def plain_loop(readings):
    with scope(prefix="station"):
        level = 0.0
        for place, reading in enumerate(readings):
            with scope(prefix=str(place)):
                level, _ = day(level, reading)


def two_scopes(readings):
    with scope(prefix="station"):
        scan(scope(day, prefix="river"), 0.0, jnp.asarray(readings))


def both_inside(readings):
    scan(scope(scope(day, prefix="river"), prefix="station"), 0.0, jnp.asarray(readings))


def other_divider(readings):
    with scope(prefix="station", divider="."):
        scan(day, 0.0, jnp.asarray(readings))


def divided(readings):
    scan(scope(day, prefix="station", divider="."), 0.0, jnp.asarray(readings))


def without(readings):
    scan(day, 0.0, jnp.asarray(readings))


def three(got=around, cured=around_step, days=5, number=0, name="station/level", jit=True):
    readings = np.random.default_rng(number).normal(2.0, 1.0, days)

    def gradient(model):
        key = jax.random.PRNGKey(number)

        def slope(levels):
            potential = initialize_model(key, lambda: model(readings)).potential_fn
            return jax.grad(potential)(levels)

        zeros = {name: jnp.zeros(days)}
        if name == "":
            zeros = {f"station/{place}/level": jnp.zeros(()) for place in range(days)}
        slopes = (jax.jit(slope) if jit else slope)(zeros)
        return jnp.stack(list(slopes.values())).reshape(-1)

    return lambda: gradient(got), -readings / 0.5**2, lambda: gradient(cured)


vary("a block around", "silent", "holds", then=("AssertionError", "holds"))(lambda: three())
vary("another seed, eight days", "silent", "holds", then=("AssertionError", "holds"))(
    lambda: three(days=8, number=4)
)
vary("one day", "silent", "holds", then=("AssertionError", "holds"))(lambda: three(days=1))
vary("no jit", "silent", "holds", then=("AssertionError", "holds"))(lambda: three(jit=False))
vary("a handler around a function", "silent", "holds", then=("AssertionError", "holds"))(
    lambda: three(as_function)
)
vary("another divider", "silent", "holds", then=("AssertionError", "holds"))(
    lambda: three(other_divider, divided, name="station.level")
)
vary("no scope", "right", "holds")(lambda: three(without, without, name="level"))
vary("a plain loop", "right", "holds")(lambda: three(plain_loop, plain_loop, name=""))
vary("a scope within and a scope around", "silent", "holds", then=("AssertionError", "holds"))(
    lambda: three(two_scopes, both_inside, name="station/river/level")
)
vary("the cure is a block in the step", "silent", "holds", then=("AssertionError", "holds"))(
    lambda: three(cured=inside_step)
)
vary("the cure is the prefix in the name", "silent", "holds", then=("AssertionError", "holds"))(
    lambda: three(cured=by_name)
)


@vary("a cond under scope, two branches", "silent", "holds")
def _():
    def wet(x):
        level = numpyro.sample("level", dist.Normal(x, 1.0))
        numpyro.sample("reading", dist.Normal(level, 0.5), obs=2.0)

    def dry(x):
        level = numpyro.sample("level", dist.Normal(-x, 1.0))
        numpyro.sample("reading", dist.Normal(level, 0.5), obs=2.0)

    def around():
        with handlers.scope(prefix="a"):
            cond(True, wet, dry, 1.0)

    def inside():
        put = functools.partial(handlers.scope, prefix="a")
        cond(True, put(wet), put(dry), 1.0)

    values = {"a/level": jnp.float32(0.5)}
    by_hand = stats.norm.logpdf(0.5, 1.0, 1.0) + stats.norm.logpdf(2.0, 0.5, 0.5)
    of = lambda model: log_density(handlers.seed(model, 0), (), {}, values)[0]
    return lambda: of(around), by_hand, lambda: of(inside)


@vary("two stations in one model, a plate inside", "silent", "holds")
def _():
    readings = np.float32([[0.5, 1.5], [2.0, 3.5], [5.0, 4.0]])

    def day(level, reading):
        level = numpyro.sample("level", dist.Normal(level, 1.0))
        with numpyro.plate("gauges", 2):
            numpyro.sample("reading", dist.Normal(level, 0.5), obs=reading)
        return level, None

    def around():
        for name in ("a", "b"):
            with handlers.scope(prefix=name):
                scan(day, 0.0, jnp.asarray(readings))

    def inside():
        for name in ("a", "b"):
            scan(handlers.scope(day, prefix=name), 0.0, jnp.asarray(readings))

    values = {"a/level": jnp.array([0.0, 1.0, 2.0]), "b/level": jnp.array([1.0, 1.0, 1.0])}

    def by_hand(levels):
        before = np.concatenate([[0.0], levels[:-1]])
        of = stats.norm.logpdf(readings, np.asarray(levels)[:, None], 0.5).sum()
        return of + stats.norm.logpdf(levels, before, 1.0).sum()

    of = lambda model: log_density(handlers.seed(model, 0), (), {}, values)[0]
    total = sum(by_hand(np.asarray(levels)) for levels in values.values())
    return lambda: of(around), total, lambda: of(inside)
