"""A program that is out of date: which function's it is, and which of the nine cases fits it."""

import dataclasses
import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
import pytest
from examine_model import examine
from jax import lax

X = jnp.linspace(0.5, 3.0, 8)
Y = jnp.linspace(1.0, 2.0, 8)


def observed(mean):
    """Return a model whose observations lie around what a function makes of X."""

    def model(x, y):
        level = numpyro.sample("level", dist.Normal(0.0, 1.0))
        spread = numpyro.sample("spread", dist.HalfNormal(1.0))
        with numpyro.plate("row", len(x)):
            numpyro.sample("y", dist.Normal(level + mean(x), spread), obs=y)

    return examine(model, X, Y, checks=["jit"])


def called(function, *args):
    """Examine a function that is no model."""
    return examine.function(function, *args, checks=["jit"])


HALF_LIFE = 2.0
TABLE = {"slope": 1.0}


@jax.jit
def decayed(hours):
    return jnp.exp2(-hours / HALF_LIFE)


def global_number():
    global HALF_LIFE
    HALF_LIFE = 2.0
    decayed(X)
    HALF_LIFE = 5.0
    return observed(decayed)


def global_in_a_table_and_a_helper():
    def line(x):
        return TABLE["slope"] * x

    TABLE["slope"] = 1.0
    raised = jax.jit(lambda x: 1.0 + line(x))
    raised(X)
    TABLE["slope"] = 3.0
    return called(raised, X)


def global_read_by_a_loop():
    step = 1.0

    def climb(height):
        return height + step

    def low(height):
        return height < 10.0

    def top(x):
        return x + lax.while_loop(low, climb, 0.5)

    top(X)
    step = 4.0
    return observed(top)


def global_in_a_nested_function():
    gain = 2.0
    inner = jax.jit(lambda x: gain * x)
    outer = jax.jit(lambda x: 1.0 + inner(x))
    outer(X)
    gain = 3.0
    return observed(outer)


class Filter:
    """A step of a recursion."""

    def __init__(self, memory):
        self.memory = memory

    def __call__(self, carry, x):
        carry = self.memory * carry + x
        return carry, carry


def attribute_of_the_object_that_a_scan_calls():
    smooth = Filter(0.2)

    def smoothed(x):
        return lax.scan(smooth, jnp.zeros(()), x)[1]

    smoothed(X)
    smooth.memory = 0.9
    return observed(smoothed)


class Curve:
    """A saturating dose response."""

    def __init__(self, half):
        self.half = half
        self.fitted = jax.jit(self.response)

    def response(self, dose):
        return dose / (dose + self.half)

    @functools.partial(jax.jit, static_argnames="self")
    def steep(self, dose):
        return dose**2 / (dose**2 + self.half**2)


def method_of_a_class():
    curve = Curve(1.0)
    curve.steep(X)
    curve.half = 6.0
    return observed(lambda dose: curve.steep(dose))


def bound_method_kept_as_an_attribute():
    curve = Curve(1.0)
    curve.fitted(X)
    curve.half = 6.0
    return called(lambda dose: curve.fitted(dose), X)


class Options:
    """Weights that are changed in place, compared by identity."""

    def __init__(self, weights):
        self.weights = weights


@functools.partial(jax.jit, static_argnames="options")
def polynomial(x, options):
    return sum(weight * x**power for power, weight in enumerate(options.weights))


def options_changed_in_place():
    options = Options([1.0, 0.5])
    polynomial(X, options=options)
    options.weights[1] = 3.0
    return observed(lambda x: polynomial(x, options=options))


@dataclasses.dataclass(frozen=True)
class Kernel:
    """A kernel whose length is left out of the comparison."""

    name: str
    length: float = dataclasses.field(compare=False)


@functools.partial(jax.jit, static_argnums=0)
def smooth_by(kernel, x):
    weights = jnp.exp(-((x[:, None] - x) ** 2) / kernel.length)
    return weights.mean(1)


def field_left_out():
    smooth_by(Kernel("rbf", 0.1), X)
    wide = Kernel("rbf", 4.0)
    return observed(lambda x: smooth_by(wide, x))


class Stop:
    """A condition that is compared by its name."""

    def __init__(self, name, limit):
        self.name, self.limit = name, limit

    def __call__(self, level):
        return level < self.limit

    def __eq__(self, other):
        return isinstance(other, Stop) and self.name == other.name

    def __hash__(self):
        return hash(self.name)


def grow(level):
    return level * 2.0


EARLY, LATE = Stop("full", 3.0), Stop("full", 50.0)


def field_left_out_of_a_condition():
    lax.while_loop(EARLY, grow, 1.0)
    return called(lambda x: x + lax.while_loop(LATE, grow, 1.0), X)


@dataclasses.dataclass(frozen=True)
class Scale:
    """By how much counts are multiplied."""

    factor: float


@functools.partial(jax.jit, static_argnums=0)
def in_units(scale, counts):
    return scale.factor * counts


COUNTS = jnp.arange(2_000_000, 2_000_008)


def equal_settings():
    in_units(Scale(2000), COUNTS)
    scale = Scale(2000.0)
    return called(lambda counts: in_units(scale, counts), COUNTS)


@eqx.filter_jit
def power(counts, exponent):
    return counts**exponent


def equal_numbers():
    power(COUNTS, 2)
    return observed(lambda x: 1e-12 * power(COUNTS, 2.0) + x)


def array_in_place():
    offsets = np.linspace(0.0, 1.0, 8)
    kept = jax.jit(lambda x: x + offsets)
    kept(X)
    offsets *= 7.0
    # The old function lives on, and with it JAX's copy of the offsets.
    shifted = functools.partial(lambda old, x: jax.jit(lambda x: x + offsets)(x), kept)
    return called(shifted, X)


class Jitter:
    """A layer that holds a key, which is set anew before each use."""

    def __init__(self, number):
        self.rng_key = jax.random.PRNGKey(number)

    @functools.partial(jax.jit, static_argnums=0)
    def __call__(self, x):
        return x + jax.random.normal(self.rng_key, x.shape)


def key_of_a_layer():
    layer = Jitter(0)
    layer(X)
    layer.rng_key = jax.random.PRNGKey(1)
    return called(lambda x: layer(x), X)


@pytest.mark.parametrize(
    ("make", "case", "name"),
    [
        (global_number, "callable-global-changed", "decayed"),
        (global_in_a_table_and_a_helper, "callable-global-changed", "<lambda>"),
        (global_read_by_a_loop, "callable-global-changed", "climb"),
        (global_in_a_nested_function, "callable-global-changed", "<lambda>"),
        (attribute_of_the_object_that_a_scan_calls, "callable-attribute-changed", "Filter"),
        (method_of_a_class, "jitted-method", "steep"),
        (bound_method_kept_as_an_attribute, "jitted-method", "response"),
        (options_changed_in_place, "mutable-key", "polynomial"),
        (field_left_out, "hash-omits-field", "smooth_by"),
        (field_left_out_of_a_condition, "hash-omits-field", "Stop"),
        (equal_settings, "equal-other-type", "in_units"),
        (equal_numbers, "filter-jit-equal-number", "power"),
        (array_in_place, "numpy-array-in-place", ""),
        (key_of_a_layer, "noise-layer", "__call__"),
    ],
)
def test_only_the_case_that_fits_is_named_with_its_function(make, case, name):
    (found,) = make().findings
    assert (found.id, found.cases) == ("stale-program", (case,)), found
    assert f"{name} (test_stale.py:" in found.says or not name
