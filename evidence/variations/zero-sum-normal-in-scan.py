"""Variations of *`ZeroSumNormal` in `scan` has the wrong density*: log densities."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro import handlers
from numpyro.contrib.control_flow import scan
from numpyro.distributions.transforms import ZeroSumTransform
from numpyro.infer.reparam import TransformReparam
from numpyro.infer.util import log_density

from evidence.variation import vary

jax.config.update("jax_disable_most_optimizations", True)
CONFIG = {"effect": TransformReparam()}


def day(groups, stations=None):
    def step(carry, spread):
        if stations is None:
            numpyro.sample("effect", dist.ZeroSumNormal(spread, event_shape=(groups,)))
        else:
            with numpyro.plate("station", stations):
                numpyro.sample("effect", dist.ZeroSumNormal(spread, event_shape=(groups,)))
        return carry, None

    return step


def density(step, at, spreads, jit=False):
    model = lambda: scan(step, None, jnp.asarray(spreads))
    run = lambda: log_density(model, (), {}, at)[0]
    return (jax.jit(run) if jit else run)()


def three(days=2, groups=3, number=0, spreads=None, jit=False, stations=None, cure="step"):
    spreads = np.arange(1.0, days + 1) if spreads is None else spreads
    shape = (days, groups) if stations is None else (days, stations, groups)
    effects = np.random.default_rng(number).normal(size=shape)
    effects -= effects.mean(-1, keepdims=True)
    each = spreads if stations is None else spreads[:, None]
    squares = (effects**2).sum(-1) / each**2 / 2
    exact = (-(groups - 1) / 2 * np.log(2 * np.pi * each**2) - squares).sum()
    step = day(groups, stations)
    reparametrized = handlers.reparam(step, config=CONFIG)
    at = {"effect_base": ZeroSumTransform(1).inv(jnp.asarray(effects))}
    cured = lambda: density(reparametrized, at, spreads, jit)
    if cure == "scale":
        cured = lambda: density(scaled(groups), {"effect": jnp.asarray(effects)}, spreads, jit)
    if cure == "axis":
        cured = lambda: density(with_axis(groups), {"effect": jnp.asarray(effects)}, spreads, jit)
    if cure == "base":
        cured = lambda: density(by_hand(groups), at, spreads, jit)
    return lambda: density(step, {"effect": jnp.asarray(effects)}, spreads, jit), exact, cured


def by_hand(groups):
    """The normal coordinates are the site."""

    def step(carry, spread):
        base = dist.Normal(0.0, spread * jnp.ones(groups - 1)).to_event(1)
        ZeroSumTransform(1)(numpyro.sample("effect_base", base))
        return carry, None

    return step


def with_axis(groups):
    """The spread gets an axis of size one, as it would for a plate."""

    def step(carry, spread):
        numpyro.sample("effect", dist.ZeroSumNormal(spread * jnp.ones(1), event_shape=(groups,)))
        return carry, None

    return step


def scaled(groups):
    """The transform of a normal whose coordinates have the spread."""

    def step(carry, spread):
        base = dist.Normal(0.0, spread * jnp.ones(groups - 1)).to_event(1)
        numpyro.sample("effect", dist.TransformedDistribution(base, ZeroSumTransform(1)))
        return carry, None

    return step


vary("two days, three groups", "silent", "holds")(lambda: three())
vary("another seed, under jit", "silent", "holds")(lambda: three(number=5, jit=True))
vary("three days, four groups", "silent", "holds")(lambda: three(3, 4))
vary("three days, three groups", "ValueError", "holds")(lambda: three(3))
vary("one day", "right", "holds")(lambda: three(1))
vary("two groups: one coordinate", "ValueError", "holds")(lambda: three(3, 2))
vary("a spread that does not change", "right", "holds")(lambda: three(spreads=np.full(2, 2.0)))
vary("a plate of two stations", "silent", "holds")(lambda: three(stations=2))
vary("a plate of five stations", "ValueError", "holds", then=("silent", "holds"))(
    lambda: three(stations=5)
)
vary("the cure is a site of coordinates", "silent", "holds")(lambda: three(cure="base"))
vary("the cure is a transformed normal", "silent", "holds", then=("silent", "IndexError"))(
    lambda: three(cure="scale")
)
vary("looks right: an axis of size one", "silent", "ValueError", then=("silent", "holds"))(
    lambda: three(cure="axis")
)


@vary("a table that sums to zero both ways, by keyword", "silent", "holds")
def _():
    scales, drawn = np.array([1.0, 2.0]), np.random.default_rng(1).normal(size=(2, 3, 3))
    drawn = drawn - drawn.mean(1, keepdims=True)
    drawn = drawn - drawn.mean(2, keepdims=True)

    def step(carry, scale):
        numpyro.sample("effect", dist.ZeroSumNormal(scale=scale, event_shape=(3, 3)))
        return carry, None

    base = {"effect_base": ZeroSumTransform(2).inv(jnp.asarray(drawn))}
    cured = handlers.reparam(step, config=CONFIG)
    squares = (drawn**2).sum((1, 2)) / scales**2 / 2
    expected = (-2 * np.log(2 * np.pi * scales**2) - squares).sum()
    got = lambda: density(step, {"effect": jnp.asarray(drawn)}, scales)
    return got, expected, lambda: density(cured, base, scales, jit=True)


def _observed(cure):
    scales, seen = np.array([1.0, 2.0]), np.float32([[1.0, 0.5, -1.5], [2.0, -3.0, 1.0]])

    def step(carry, inputs):
        scale, effect = inputs
        numpyro.sample("effect", dist.ZeroSumNormal(scale, (3,)), obs=effect)
        return carry, None

    def by_coordinates(carry, inputs):
        scale, effect = inputs
        law = dist.Normal(jnp.zeros(2), scale * jnp.ones(2)).to_event(1)
        numpyro.factor("effect", law.log_prob(ZeroSumTransform(1).inv(effect)))
        return carry, None

    cured = {"reparam": handlers.reparam(step, config=CONFIG), "factor": by_coordinates}[cure]
    data = jnp.asarray(scales), jnp.asarray(seen)
    run = lambda step: log_density(lambda: scan(step, None, data), (), {}, {})[0]
    squares = (seen**2).sum(1) / scales**2 / 2
    expected = (-np.log(2 * np.pi * scales**2) - squares).sum()
    return lambda: run(step), expected, lambda: run(cured)


vary("observed effects: TransformReparam", "silent", "AssertionError")(lambda: _observed("reparam"))
vary("observed effects: a factor of the coordinates", "silent", "holds")(
    lambda: _observed("factor")
)


@vary("64 bits", "silent", "holds")
def _():
    jax.config.update("jax_enable_x64", True)  # until the end, so this row is the last
    return three()
