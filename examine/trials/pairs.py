"""The silent cases of the casebook that none of the sixty models shows, each with its cured twin.

A function with `@pair` is named after the case. It is called with `cured=False` and `cured=True`,
and returns what `examine` is called with. What the program of the case did before, such as a first
run with an older setting, it does itself.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from jax import lax, random
from numpyro import handlers
from numpyro.contrib.control_flow import scan
from numpyro.infer import SVI, Trace_ELBO
from numpyro.infer.autoguide import AutoDelta, AutoNormal
from numpyro.optim import Adam

numpyro.enable_validation()  # the default of the newest releases


class Examined(NamedTuple):
    """What `examine` is called with: a model, its arguments, keyword arguments of `examine`."""

    model: Any
    args: tuple = ()
    options: dict = {}  # noqa: RUF012 - never changed


PAIRS: dict[str, Callable[[bool], Examined]] = {}


def pair(function: Callable[[bool], Examined]) -> Callable[[bool], Examined]:
    """Add the models of a case."""
    PAIRS[function.__name__.replace("_", "-")] = function
    return function


def growth(days, observed=None):
    """Heights that grow with the days."""
    rate = numpyro.sample("rate", dist.Normal(0.0, 5.0))
    height = numpyro.deterministic("height", rate * days)
    numpyro.sample("observed", dist.Normal(height, 1.0), obs=observed)


@pair
def guide_keeps_arguments(cured):
    days, new = jnp.float32([1, 2, 3]), jnp.float32([10, 20, 30])
    guide = AutoNormal(growth)
    handlers.seed(guide, rng_seed=0)(new if cured else days, jnp.float32([2.1, 3.9, 6.2]))
    return Examined(growth, (new,), {"guide": guide})


@pair
def lane_without_start(cured):
    def model(readings):
        level = numpyro.sample("level", dist.Normal(0.0, 2.0))
        numpyro.sample("readings", dist.Normal(level, 1.0), obs=readings)

    readings = jnp.float32([1.2 if cured else np.nan, 3.0, 2.5])
    return Examined(model, (readings,), {"guide": AutoDelta(model)})


@pair
def one_guide_one_start(cured):
    def model(power):
        amplitude = numpyro.sample("amplitude", dist.Normal(0.0, 2.0))
        numpyro.sample("power", dist.Normal(amplitude**2, 1.0), obs=power)

    guide = AutoDelta(model)
    SVI(model, guide, Adam(0.1), Trace_ELBO()).init(random.PRNGKey(0), 4.0)
    return Examined(model, (4.0,), {"guide": AutoDelta(model) if cured else guide})


def scored(belief, reading):
    """Add the density of a reading as a factor."""
    numpyro.factor("score", belief.log_prob(reading))


@pair
def copy_forgets_validation(cured):
    by_law = jax.jit(lambda belief, reading: belief.log_prob(reading))
    by_rate = jax.jit(lambda rate, reading: dist.Exponential(rate).log_prob(reading))
    if cured:  # the rate is handed over, and the distribution is built inside
        return Examined(lambda rate: numpyro.factor("score", by_rate(rate, 1.0)), (2.0,))
    return Examined(
        lambda belief: numpyro.factor("score", by_law(belief, 1.0)), (dist.Exponential(2.0),)
    )


@pair
def leaf_order(cured):
    if cured:
        params = {"loc": 3.0, "scale": 0.5}
        return Examined(lambda params: scored(dist.Normal(**params), 1.0), (params,))
    return Examined(scored, (dist.Normal(3.0, 0.5), 1.0))


PAIRS["leaf-order-compile-cache"] = leaf_order  # the same fact, and two things that it breaks


@pair
def parameter_stored_twice(cured):
    if cured:
        return Examined(lambda scale: scored(dist.HalfNormal(scale), 3.0), (2.0,))
    return Examined(scored, (dist.HalfNormal(2.0), 3.0))


@pair
def vmap_built_distribution(cured):
    means = jnp.array([0.0, 10.0, 20.0])

    def model():
        stations = dist.Normal(means, 1.0)
        if not cured:
            stations = jax.vmap(lambda mean: dist.Normal(mean, 1.0))(means)
        numpyro.sample("stations", stations)

    return Examined(model)


def latent_size(function):
    """Return a model whose observed level is what a function of one number returns."""

    def model():
        size = numpyro.sample("size", dist.Normal(0.0, 1.0))
        numpyro.sample("observed", dist.Normal(size + function(1.0), 50.0), obs=100.0)

    return model


@pair
def callable_attribute_changed(cured):
    class Growth:
        def __init__(self, factor):
            self.factor = factor

        def __call__(self, size):
            return self.factor * size

    def below_100(size):
        return size < 100.0

    growth = Growth(2.0)
    lax.while_loop(below_100, growth, 1.0)
    growth.factor = 10.0
    body = (lambda size: growth(size)) if cured else growth
    return Examined(latent_size(lambda start: lax.while_loop(below_100, body, start)))


@dataclasses.dataclass(frozen=True)
class Moment:
    """The order of a moment."""

    order: float


@pair
def equal_other_type(cured):
    jitted = jax.jit(lambda setting, count: count**setting.order, static_argnums=0)
    orders, count = (2.0 if cured else 2, 2.0), jnp.int32(100_000)

    def model():
        whole, real = (jitted(Moment(order), count) for order in orders)
        level = jnp.log(jnp.abs(whole) * 1.0) - jnp.log(jnp.abs(real) * 1.0) + real / 1e9
        numpyro.sample("observed", dist.Normal(level, 1.0), obs=1.0)

    return Examined(model)


@dataclasses.dataclass(unsafe_hash=True)
class Settings:
    """Rates that are not part of the hash."""

    name: str
    rates: list = dataclasses.field(hash=False)


@pair
def mutable_key(cured):
    jitted = jax.jit(lambda settings, volume: sum(settings.rates) * volume, static_argnums=0)
    settings = Settings("tank", [1.0, 2.0])
    jitted(settings, 1.0)
    if cured:
        settings = Settings("tank", [1.0, 10.0])
    else:
        settings.rates[1] = 10.0
    return Examined(latent_size(lambda volume: 10 * jitted(settings, volume)))


KEPT: list[Any] = []


@pair
def numpy_array_in_place(cured):
    prices = np.array([1.0, 2.0])
    old = jax.jit(lambda amount: jnp.sum(prices * amount))
    old(1.0)
    if cured:
        prices = prices + 50.0
    else:
        prices += 50.0
    new = jax.jit(lambda amount: jnp.sum(prices * amount))
    kept = Examined(latent_size(new))
    KEPT.append(old)  # the program that holds the copy
    return kept


@pair
def divergences_unsaid(cured: bool) -> Examined:
    """A log likelihood of yes and no by the logarithm of a rounded probability, or by logits."""
    signal = np.linspace(-10, 10, 41)
    answer = (signal > 0).astype(int)

    def model(signal, answer):
        steepness = numpyro.sample("steepness", dist.LogNormal(0.0, 1.0))
        yes = jax.nn.sigmoid(steepness * signal)
        each = answer * jnp.log(yes) + (1 - answer) * jnp.log(1 - yes)
        if cured:
            each = dist.Bernoulli(logits=steepness * signal).log_prob(answer)
        numpyro.factor("answer", each.sum())

    return Examined(model, (signal, answer))


@pair
def index_past_the_end(cured):
    """Scores of five schools, which the file numbers from 1 on."""
    school = np.repeat(np.arange(1, 6), 20) - bool(cured)
    scores = np.random.default_rng(0).normal(school, 1.0)

    def model(school, scores):
        with numpyro.plate("schools", 5):
            effect = numpyro.sample("effect", dist.Normal(0.0, 10.0))
        with numpyro.plate("pupils", len(scores)):
            numpyro.sample("score", dist.Normal(effect[school], 1.0), obs=scores)

    return Examined(model, (school, scores))


@pair
def seconds_since_1970(cured):
    """The level of a tank, read every ten seconds."""
    times = 1_763_900_000.0 + 10 * np.arange(31)
    levels = 900.0 - 0.5 * (times - times[0])
    if cured:
        times = times - times[0]

    def model(times, levels):
        rate = numpyro.sample("rate", dist.HalfNormal(1.0))
        times = jnp.asarray(times)
        level = levels[0] - rate * (times - times[0])
        numpyro.sample("levels", dist.Normal(level, 1.0), obs=levels)

    return Examined(model, (times, levels))


@jax.custom_vjp
def product(matrix, vector):
    return matrix @ vector


def forward(matrix, vector):
    return matrix @ vector, (matrix, vector)


def backward(kept, slope):
    return jnp.outer(slope, kept[1]), None


product.defvjp(forward, backward)


@pair
def custom_vjp_none(cured):
    """A regression with a product whose own gradient leaves one input out."""
    mixing, readings = jnp.float32([[1.0, 0.5], [0.2, 2.0]]), jnp.float32([1.0, 3.0])
    times = jnp.matmul if cured else product

    def model(readings):
        signal = numpyro.sample("signal", dist.Uniform(-3.0, 3.0).expand([2]).to_event(1))
        numpyro.sample("readings", dist.Normal(times(mixing, signal), 0.1), obs=readings)

    return Examined(model, (readings,))


@pair
def one_key_for_all_tries(cured):
    """A guide for all but the forecast, whose model was given a seed so that it can be hidden."""

    def fitted(count):
        rate = numpyro.sample("rate", dist.Normal(0.0, 2.0))
        numpyro.sample("count", dist.Poisson(jnp.abs(rate)), obs=count)
        return rate

    def model(count):
        numpyro.sample("forecast", dist.Normal(fitted(count), 1.0))

    seeded = handlers.block(handlers.seed(model, 3), hide=["forecast"])
    return Examined(model, (4,), {"guide": AutoDelta(fitted if cured else seeded)})


# --- what chapters two, three and four begin with: found on the old stack only --------------------


@pair
def autoguide_under_vmap(cured):
    """A guide without the deterministic site of its model."""

    def model():
        a = numpyro.sample("a", dist.Normal(0.0, 1.0))
        b = numpyro.sample("b", dist.Normal(a, 1.0))
        numpyro.deterministic("c", a + b)

    return Examined(
        model, (), {"guide": AutoDelta(handlers.block(handlers.seed(model, 0), hide=["b"]))}
    )


@pair
def parallel_truncated_normal(cured):
    """A prior that lives outside of the model."""
    prior = dist.TruncatedNormal(0.0, 1.0, low=-1.0, high=2.0)

    def model(data):
        level = numpyro.sample("level", prior)
        numpyro.sample("data", dist.Normal(level, 1.0), obs=data)

    return Examined(model, (jnp.arange(3.0),))


@pair
def mvn_inside_scan(cured):
    """Four steps of five members with two coordinates each."""

    def step(carry, _):
        with numpyro.plate("member", 5):
            numpyro.sample("x", dist.MultivariateNormal(jnp.zeros(2), jnp.eye(2)))
        return carry, None

    return Examined(lambda: scan(step, None, None, length=4) and None)
