"""Variations of *`TransformReparam` around `scan` complains of an observation*: log densities."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro import handlers
from numpyro.contrib.control_flow import scan
from numpyro.distributions.transforms import AffineTransform
from numpyro.infer.reparam import LocScaleReparam, TransformReparam
from numpyro.infer.util import log_density
from scipy import stats

from evidence.variation import vary

jax.config.update("jax_disable_most_optimizations", True)


def day(level, _):
    step = AffineTransform(level, 2.0)
    level = numpyro.sample("level", dist.TransformedDistribution(dist.Normal(0.0, 1.0), step))
    return level, level


def laplace(level, _):
    step = AffineTransform(level, 2.0)
    level = numpyro.sample("level", dist.TransformedDistribution(dist.Laplace(0.0, 1.0), step))
    return level, level


def centered(level, _):
    level = numpyro.sample("level", dist.Normal(level, 2.0))
    return level, level


def around(step, days, reparam):
    model = lambda: scan(step, 0.0, None, length=days)
    return handlers.reparam(model, config={"level": reparam})


def within(step, days, reparam):
    stepped = handlers.reparam(step, config={"level": reparam})
    return lambda: scan(stepped, 0.0, None, length=days)


def block_within(step, days, reparam):
    def stepped(level, x):
        with handlers.reparam(config={"level": reparam}):
            return step(level, x)

    return lambda: scan(stepped, 0.0, None, length=days)


def block_around(step, days, reparam):
    def model():
        with handlers.reparam(config={"level": reparam}):
            scan(step, 0.0, None, length=days)

    return model


def by_function(step, days, reparam):
    """The configuration is a function of the site."""
    choose = lambda site: reparam if site["name"] == "level" else None
    return handlers.reparam(lambda: scan(step, 0.0, None, length=days), config=choose)


def plain_loop(step, days, reparam):
    def model():
        level = 0.0
        for place in range(days):
            with handlers.scope(prefix=str(place)):
                level, _ = handlers.reparam(step, config={"level": reparam})(level, None)

    return model


def by_hand(step, days, reparam):
    """The base is the site, and the transform plain arithmetic."""

    def stepped(level, _):
        level = level + 2.0 * numpyro.sample("level_base", dist.Normal(0.0, 1.0))
        return level, level

    return lambda: scan(stepped, 0.0, None, length=days)


def three(way=around, cured=within, step=day, days=4, number=3, reparam=None, jit=False):
    base = np.random.default_rng(number).normal(size=days)
    name = "level_decentered" if reparam else "level_base"
    reparam = reparam or TransformReparam()
    exact = (stats.laplace if step is laplace else stats.norm).logpdf(base).sum()

    def density(way):
        at = {name: jnp.asarray(base)}
        if way is plain_loop:
            at = {f"{place}/{name}": value for place, value in enumerate(base)}
        model = way(step, days, reparam)
        run = lambda: log_density(handlers.seed(model, 0), (), {}, at)[0]
        return (jax.jit(run) if jit else run)()

    return lambda: density(way), exact, lambda: density(cured)


vary("four days", "AssertionError", "holds", then=("IndexError", "holds"))(lambda: three())
vary("another seed, one day, under jit", "AssertionError", "holds", then=("IndexError", "holds"))(
    lambda: three(days=1, number=8, jit=True)
)
vary("Laplace", "AssertionError", "holds", then=("IndexError", "holds"))(
    lambda: three(step=laplace)
)
vary("a block around", "AssertionError", "holds", then=("IndexError", "holds"))(
    lambda: three(block_around)
)
vary("a function as the configuration", "AssertionError", "holds", then=("IndexError", "holds"))(
    lambda: three(by_function)
)
vary("a plain loop", "right", "holds")(lambda: three(plain_loop))
vary("LocScaleReparam of a Normal", "AssertionError", "holds")(
    lambda: three(step=centered, reparam=LocScaleReparam(0.0))
)
vary("the cure is a block in the step", "AssertionError", "holds", then=("IndexError", "holds"))(
    lambda: three(cured=block_within)
)
vary("the cure is plain arithmetic", "AssertionError", "holds", then=("IndexError", "holds"))(
    lambda: three(cured=by_hand)
)


@vary("a plate of gauges, a class", "AssertionError", "holds", then=("IndexError", "holds"))
def _():
    class River:
        def day(self, level, _):
            with numpyro.plate("gauge", 3):
                step = AffineTransform(loc=level, scale=2.0 * jnp.ones(3))
                base = dist.Normal(jnp.zeros(3), 1.0)
                law = dist.TransformedDistribution(base_distribution=base, transforms=step)
                level = numpyro.sample("level", law)
            return level, level

        def run(self, day):
            return scan(f=day, init=jnp.zeros(3), xs=None, length=2)[1]

    river, base = River(), np.random.default_rng(1).normal(size=(2, 3))
    given = {"level_base": jnp.asarray(base)}
    config = {"level": TransformReparam()}

    def drawn(model):
        return handlers.seed(handlers.substitute(model, data=given), 0)()

    around = handlers.reparam(lambda: river.run(river.day), config=config)
    inside = lambda: river.run(handlers.reparam(river.day, config=config))
    return lambda: drawn(around), 2 * base.cumsum(axis=0), lambda: drawn(inside)


@vary("two sites, a LogNormal among them", "AssertionError", "holds", then=("IndexError", "holds"))
def _():
    def day(level, _):
        gain = numpyro.sample("gain", dist.LogNormal(0.0, 1.0))
        step = AffineTransform(level, 1.0)
        level = numpyro.sample("level", dist.TransformedDistribution(dist.Normal(), step))
        return level, gain * level

    config = {"gain": TransformReparam(), "level": TransformReparam()}
    run = lambda day: scan(day, 0.0, None, length=3)[1]
    gain, base = np.random.default_rng(2).normal(size=(2, 3))
    given = {"gain_base": jnp.asarray(gain), "level_base": jnp.asarray(base)}
    drawn = lambda model: handlers.seed(handlers.substitute(model, given), 0)()
    around = handlers.reparam(lambda: run(day), config=config)
    inside = lambda: run(handlers.reparam(day, config=config))
    return lambda: drawn(around), np.exp(gain) * base.cumsum(), lambda: drawn(inside)
