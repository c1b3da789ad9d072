"""Each silent case of the casebook as a model, with its cured twin.

A function with `@pair` is named after the case. It is called with `cured=False` and `cured=True`,
and returns what `examine` is called with. What the program of the case did before, such as a first
run with an older setting, it does itself.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
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
from numpyro.distributions.transforms import AffineTransform, ExpTransform
from numpyro.infer import MCMC, SVI, BarkerMH, Trace_ELBO
from numpyro.infer.autoguide import AutoDelta, AutoNormal
from numpyro.optim import Adam

numpyro.enable_validation()  # the default of the newest releases


class Examined(NamedTuple):
    """What `examine` is called with: a model, its arguments, keyword arguments of `examine`."""

    model: Any
    args: tuple = ()
    options: dict = {}  # noqa: RUF012 - never changed


PAIRS: dict[str, Callable[[bool], Examined]] = {}
NOT_APPLICABLE = {
    "buffer-refilled": "it is about the memory of the data, before a model sees them",
    "cache-writes-nothing": "it costs time and changes no answer",
    "deserialise-shifted": "it is about a file, before a model sees what it holds",
    "batch-without-plate": "how much data there is stands nowhere in the model",
    "change-point-stays": "its density is right, and what climbs it stays where it is",
    "constant-is-trained": "it is about an optimizer and a module, and no model is in it",
    "gradient-per-device": "it needs several devices, and `examine` runs on one",
    "shard-map-sums-gradients": "it needs several devices, and `examine` runs on one",
    "slowest-lane": "it costs time and changes no answer",
    "compiled-and-not-disagree": "it is about the compiler, and about one form of one operation",
    "jit-model-args-first-data": "the model is right; a second run of the kernel is not",
    "leak-checker-blind": "it is about a tool of JAX, not about what a model computes",
    "mcmc-keeps-data": "it costs memory and changes no answer",
    "predictive-returns-data": "the model is right, and asked with its data",
    "recompiles-every-call": "it costs time and changes no answer; inference compiles a model once",
    "static-callables-pile-up": "it costs memory and changes no answer",
}
"""The silent cases that no model can show, and why."""


def pair(function: Callable[[bool], Examined]) -> Callable[[bool], Examined]:
    """Add the models of a case."""
    PAIRS[function.__name__.replace("_", "-")] = function
    return function


def observe(level: Any, data: Any = 1.0, spread: float = 1.0) -> None:
    """Add one observed site around a level."""
    numpyro.sample("observed", dist.Normal(level, spread), obs=jnp.asarray(data))


# --- AutoGuide under vmap -------------------------------------------------------------------


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
def jitted_draw_keeps_seed(cured):
    def rain():
        return numpyro.sample("rainfall", dist.Normal(20.0, 5.0))

    jitted = jax.jit(rain)
    with_key = jax.jit(lambda rng_key: handlers.seed(rain, rng_seed=rng_key)())

    def model():
        amount = with_key(numpyro.prng_key()) if cured else jitted()
        observe(amount, 20.0)

    return Examined(model)


@pair
def lane_without_start(cured):
    def model(readings):
        level = numpyro.sample("level", dist.Normal(0.0, 2.0))
        numpyro.sample("readings", dist.Normal(level, 1.0), obs=readings)

    readings = jnp.float32([1.2 if cured else np.nan, 3.0, 2.5])
    return Examined(model, (readings,), {"guide": AutoDelta(model)})


@pair
def noise_layer(cured):
    class Noise:
        def __init__(self):
            self.rng_key = random.PRNGKey(0)

        def __call__(self, signal):
            self.rng_key, key = random.split(self.rng_key)
            return signal + random.normal(key, signal.shape)

    @jax.jit
    def add_noise(rng_key, signal):
        return signal + random.normal(rng_key, signal.shape)

    def noisy(layer, signal):
        level = numpyro.sample("level", dist.Normal(0.0, 1.0))
        observe(level + layer(signal))

    if cured:
        return Examined(lambda: noisy(lambda x: add_noise(numpyro.prng_key(), x), jnp.zeros(2)))
    return Examined(functools.partial(noisy, jax.jit(Noise())), (jnp.zeros(2),))


@pair
def one_guide_one_start(cured):
    def model(power):
        amplitude = numpyro.sample("amplitude", dist.Normal(0.0, 2.0))
        numpyro.sample("power", dist.Normal(amplitude**2, 1.0), obs=power)

    guide = AutoDelta(model)
    SVI(model, guide, Adam(0.1), Trace_ELBO()).init(random.PRNGKey(0), 4.0)
    return Examined(model, (4.0,), {"guide": AutoDelta(model) if cured else guide})


@pair
def one_key_for_all_lanes(cured):
    def measure(level):
        return numpyro.sample("reading", dist.Normal(level, 2.0))

    def model(levels):
        if not cured:
            return jax.vmap(measure)(levels)
        keys = random.split(numpyro.prng_key(), len(levels))
        return jax.vmap(lambda key, level: handlers.seed(measure, key)(level))(keys, levels)

    return Examined(model, (jnp.linspace(10.0, 20.0, 5),))


def reading():
    """One level and one reading."""
    level = numpyro.sample("level", dist.Normal(20.0, 3.0))
    numpyro.sample("reading", dist.Normal(level, 2.0))


@pair
def own_seed_in_predictive(cured):
    return Examined(reading if cured else handlers.seed(reading, rng_seed=0))


@pair
def seeded_call_repeats(cured):
    day = handlers.seed(reading, rng_seed=0)
    return Examined(reading if cured else lambda: day())


@pair
def straight_walk(cured):
    def step(position, _):
        position += numpyro.sample("step", dist.Normal(0.0, 1.0))
        return position, position

    def model():
        _, path = (scan if cured else lax.scan)(step, 0.0, None, length=20)
        observe(path[-1])

    return Examined(model)


# --- Lazy pytree drift ----------------------------------------------------------------------


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
def scan_forgets_validation(cured):
    strict = True if cured else None

    def model(readings):
        high = numpyro.sample("high", dist.Uniform(0.0, 10.0))

        def step(carry, value):
            below = dist.Uniform(0.0, high, validate_args=strict)
            return carry, numpyro.sample("reading", below, obs=value)

        scan(step, None, readings)

    return Examined(model, (jnp.array([5.0, 4.5, 6.0]),))


# --- MultivariateNormal inside scan ---------------------------------------------------------


@pair
def do_around_scan(cured):
    def day(level, amount):
        def inner():
            return numpyro.sample("rain", dist.Exponential(1.0))

        rain = handlers.do(inner, {"rain": amount})() if cured else inner()
        level = level / 2 + rain
        return level, level

    def river():
        levels = scan(day, 8.0, jnp.zeros(5))[1]
        observe(levels[-1])

    return Examined(river if cured else handlers.do(river, {"rain": jnp.zeros(5)}))


def noisy_days(noisy, plates, steps, shape):
    """Return a model: on each day a level, and readings around it inside plates."""
    levels = jnp.arange(steps) * 1.0
    data = jnp.exp(0.1 * jnp.arange(np.prod((steps, *shape)), dtype=float)).reshape(steps, *shape)

    def day(carry, inputs):
        level, values = inputs
        with plates():
            numpyro.sample("y", noisy(level), obs=values)
        return carry, None

    return lambda: scan(day, None, (levels, data)) and None


@pair
def exchanged_axes(cured):
    def noisy(level):
        base = dist.Normal(level * jnp.ones(5) if cured else level, 0.5)
        return dist.TransformedDistribution(base, ExpTransform())

    return Examined(noisy_days(noisy, lambda: numpyro.plate("station", 5), 5, (5,)))


@pair
def matrix_normal_in_scan(cured):
    rows, columns = np.array([[1.0, 0.0], [0.5, 0.8]]), np.array([[0.7, 0.0], [-0.2, 0.9]])

    def day(carry, inputs):
        mean, table = inputs
        if cured:
            scale = np.kron(rows, columns)
            noise = dist.MultivariateNormal(mean * jnp.ones(4), scale_tril=scale)
            numpyro.sample("table", noise, obs=table.reshape(4))
        else:
            noise = dist.MatrixNormal(mean * jnp.ones((2, 2)), rows, columns)
            numpyro.sample("table", noise, obs=table)
        return carry, None

    data = jnp.array([0.0, 2.0]), jnp.arange(8.0).reshape(2, 2, 2)
    return Examined(lambda: scan(day, None, data) and None)


@pair
def plate_axis_base_only(cured):
    def shifted(shift):
        base = dist.Normal(jnp.zeros(3), 1.0)
        each = AffineTransform(shift * jnp.ones(3), jnp.ones(3))
        transform = each if cured else AffineTransform(shift, 1.0)
        return dist.TransformedDistribution(base, transform)

    return Examined(noisy_days(shifted, lambda: numpyro.plate("station", 3), 3, (3,)))


LEVELS = np.array([0.5, 1.5, 2.0, 3.5, 5.0], dtype="float32")


def walk(level, value):
    """One step of a random walk with a reading."""
    level = numpyro.sample("level", dist.Normal(level, 1.0))
    numpyro.sample("reading", dist.Normal(level, 0.5), obs=value)
    return level, None


@pair
def reverse_scan(cured):
    if cured:
        return Examined(lambda: scan(walk, 5.0, jnp.asarray(LEVELS[::-1])) and None)
    return Examined(lambda: scan(walk, 5.0, jnp.asarray(LEVELS), reverse=True) and None)


@pair
def scope_around_scan(cured):
    def outside():
        with handlers.scope(prefix="station"):
            scan(walk, 0.0, jnp.asarray(LEVELS))

    def inside():
        scan(handlers.scope(walk, prefix="station"), 0.0, jnp.asarray(LEVELS))

    return Examined(inside if cured else outside)


@pair
def two_plates(cured):
    def noisy(level):
        base = dist.Normal(level * jnp.ones((3, 2) if cured else (2,)), 0.5)
        return dist.TransformedDistribution(base, ExpTransform())

    @contextlib.contextmanager
    def plates():
        with numpyro.plate("region", 3, dim=-2), numpyro.plate("station", 2):
            yield

    return Examined(noisy_days(noisy, plates, 3, (3, 2)))


@pair
def vmap_built_distribution(cured):
    means = jnp.array([0.0, 10.0, 20.0])

    def model():
        stations = dist.Normal(means, 1.0)
        if not cured:
            stations = jax.vmap(lambda mean: dist.Normal(mean, 1.0))(means)
        numpyro.sample("stations", stations)

    return Examined(model)


@pair
def zero_sum_normal_in_scan(cured):
    from numpyro.infer.reparam import TransformReparam

    def day(carry, spread):
        numpyro.sample("effect", dist.ZeroSumNormal(spread, event_shape=(3,)))
        return carry, None

    step = handlers.reparam(day, config={"effect": TransformReparam()}) if cured else day
    return Examined(lambda: scan(step, None, jnp.array([1.0, 2.0])) and None)


# --- Parallel TruncatedNormal ---------------------------------------------------------------


@pair
def kept_in_model(cured):
    class TankModel:
        prior = None

        def __call__(self, readings):
            prior = self.prior
            if prior is None or cured:
                prior = dist.Normal(readings.mean(), readings.std())
            if not cured:
                self.prior = prior
            level = numpyro.sample("level", prior)
            numpyro.sample("readings", dist.Normal(level, 1.0), obs=readings)

    return Examined(TankModel(), (jnp.array([2.1, 1.4, 2.3, 1.9, 2.0]),))


# --- Tracer hashing -------------------------------------------------------------------------


def latent_size(function):
    """Return a model whose observed level is what a function of one number returns."""

    def model():
        size = numpyro.sample("size", dist.Normal(0.0, 1.0))
        observe(size + function(1.0), 100.0, 50.0)

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


PRICE = 2.0


@pair
def callable_global_changed(cured):
    global PRICE
    PRICE = 2.0

    def cost(amount):
        return PRICE * amount

    jitted, at = jax.jit(cost), jax.jit(lambda price, amount: price * amount)
    jitted(1.0)
    PRICE = 5.0
    return Examined(latent_size(lambda amount: at(PRICE, amount) if cured else jitted(amount)))


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
        observe(jnp.log(jnp.abs(whole) * 1.0) - jnp.log(jnp.abs(real) * 1.0) + real / 1e9, 1.0)

    return Examined(model)


@pair
def filter_jit_equal_number(cured):
    import equinox as eqx

    @eqx.filter_jit
    def scale(factor, count):
        return factor * count

    count = jnp.int32(2_000_000_000)
    scale(2, count)
    factor = jnp.float32(2.0) if cured else 2.0
    return Examined(latent_size(lambda _: scale(factor, count) / 1e8))


class Below:
    """A limit; two of them are equal if they are the same object."""

    def __init__(self, name, limit):
        self.name, self.limit = name, limit

    def __call__(self, level):
        return level < self.limit


class BelowByName(Below):
    """A limit that is compared by its name only."""

    def __hash__(self):
        return hash(self.name)

    def __eq__(self, other):
        return isinstance(other, Below) and self.name == other.name


@pair
def hash_omits_field(cured):
    cls = Below if cured else BelowByName
    small, large = cls("alarm", jnp.float32(3.0)), cls("alarm", jnp.float32(50.0))

    def rise(level):
        return level + 1.0

    def levels(start):
        return sum(lax.while_loop(tank, rise, start) for tank in (small, large))

    return Examined(latent_size(levels))


@pair
def jitted_method(cured):
    def after(rate, hours):
        return 20.0 * jnp.exp(-rate * hours)

    class Cooling:
        def __init__(self, rate):
            self.rate = rate

        @functools.partial(jax.jit, static_argnums=0)
        def after(self, hours):
            return after(self.rate, hours)

    cooling, by_rate = Cooling(0.1), jax.jit(after)
    cooling.after(1.0)
    cooling.rate = 2.0
    method = functools.partial(by_rate, cooling.rate) if cured else cooling.after
    return Examined(latent_size(lambda hours: 10 * method(hours)))


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


USUAL = 0.0


@pair
def second_mcmc_run(cured):
    global USUAL

    def tank(readings, usual=None):
        level = numpyro.sample("level", dist.Normal(USUAL if usual is None else usual, 0.1))
        numpyro.sample("readings", dist.Normal(level, 1.0), obs=readings)

    USUAL, readings = 0.0, np.array([2.1, 1.4, 2.3, 1.9, 2.0])
    kernel = BarkerMH(tank, step_size=0.15, adapt_step_size=False)
    mcmc = MCMC(kernel, num_warmup=9, num_samples=9, progress_bar=False)
    extra = (0.0,) if cured else ()
    mcmc.run(random.PRNGKey(1), readings, *extra)
    USUAL = 5.0
    if cured:
        readings, extra = readings + 50.0, (5.0,)
    else:
        readings += 50.0
    mcmc.run(random.PRNGKey(1), readings, *extra)
    return Examined(mcmc, (readings, *extra))


@pair
def float32_likelihood(cured: bool) -> Examined:
    """A concentration of a negative binomial that may be as large as it likes, or is bounded."""
    counts = np.random.default_rng(0).negative_binomial(10, 10 / 110, size=200)
    widest = 1e3 if cured else 1e9

    def model(counts):
        concentration = numpyro.sample("concentration", dist.LogUniform(1.0, widest))
        numpyro.sample("counts", dist.NegativeBinomial2(100.0, concentration), obs=counts)

    return Examined(model, (counts,))


@pair
def column_against_row(cured: bool) -> Examined:
    """Readings that are a column of a table, against a mean that is a row."""
    x = np.linspace(-1.0, 1.0, 12)
    y = 2 * x if cured else (2 * x)[:, None]

    def model(x, y):
        slope = numpyro.sample("slope", dist.Normal(0.0, 10.0))
        numpyro.sample("y", dist.Normal(slope * x, 1.0), obs=y)

    return Examined(model, (x, y))


@pair
def nan_gradient(cured: bool) -> Examined:
    """A power of a dose of zero, by a `where` that computes the logarithm of zero, or of one."""
    doses = np.array([0, 0.5, 1, 2], np.float32)

    def model(doses, responses):
        power = numpyro.sample("power", dist.LogNormal(0.0, 1.0))
        inside = jnp.where(doses > 0, doses, 1.0) if cured else doses
        mean = jnp.where(doses > 0, jnp.exp(power * jnp.log(inside)), 0.0)
        numpyro.sample("responses", dist.Normal(mean, 0.1), obs=responses)

    return Examined(model, (doses, doses**0.6))


@pair
def int32_sum(cured: bool) -> Examined:
    """The mean age of some districts, from whole numbers or from real ones."""
    people = jnp.arange(400_000, 1_600_000, 20_000)
    age = people % 7 + 38

    def model(people, age):
        people = people.astype(float) if cured else people
        mean = (people * age).sum() / people.sum()
        spread = numpyro.sample("spread", dist.HalfNormal(1.0))
        numpyro.sample("centre", dist.Normal(mean, spread), obs=40.0)

    return Examined(model, (people, age))


@pair
def divergences_unsaid(cured: bool) -> Examined:
    """A log likelihood of yes and no by the logarithm of a rounded probability, or by logits."""
    signal = np.linspace(-10, 10, 41)
    answer = (signal > 0).astype(int)

    def model(answer):
        steepness = numpyro.sample("steepness", dist.LogNormal(0.0, 1.0))
        yes = jax.nn.sigmoid(steepness * signal)
        each = answer * jnp.log(yes) + (1 - answer) * jnp.log(1 - yes)
        if cured:
            each = dist.Bernoulli(logits=steepness * signal).log_prob(answer)
        numpyro.factor("answer", each.sum())

    return Examined(model, (answer,))
