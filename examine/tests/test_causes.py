"""Of several causes of one finding, only those are named that fit."""

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
from numpyro.distributions.util import lazy_property

X = jnp.linspace(0.5, 3.0, 8)
COUNTS = jnp.arange(2_000_000, 2_000_008)


def observed(mean):
    """Examine a model whose observations lie around what a function makes of X."""

    def model(x):
        level = numpyro.sample("level", dist.Normal(0.0, 1.0))
        numpyro.sample("y", dist.Normal(level + mean(x), 1.0).to_event(1), obs=x)

    return examine(model, X, checks=["jit"])


def called(function, x=X):
    """Examine a function that is no model."""
    return examine.function(function, x, checks=["jit"])


HALF_LIFE = 2.0
SLOPES = [1.0]


@jax.jit
def decayed(hours):
    return jnp.exp2(-hours / HALF_LIFE)


def global_number():
    global HALF_LIFE
    HALF_LIFE = 2.0
    decayed(X)
    HALF_LIFE = 5.0
    return observed(decayed)


def global_in_a_list_and_a_helper():
    def line(x):
        return SLOPES[0] * x

    SLOPES[0] = 1.0
    raised = jax.jit(lambda x: 1.0 + line(x))
    raised(X)
    SLOPES[0] = 3.0
    return called(raised)


def global_read_by_a_loop():
    step = 1.0

    def climb(height):
        return height + step

    def top(x):
        return x + lax.while_loop(lambda height: height < 10.0, climb, 0.5)

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


def global_beside_traced_containers():
    gain = 2.0

    @jax.jit
    def line(x, weights):
        return weights["a"] + gain * weights["b"][0] * x

    weights = {"a": jnp.float32(1.0), "b": [jnp.float32(0.5)]}
    line(X, weights)
    gain = 4.0
    return called(lambda x: line(x, weights))


class Affine(eqx.Module):
    """A module, whose array is traced."""

    weight: jax.Array


@eqx.filter_jit
def applied(module, x):
    return module.weight * x / HALF_LIFE


def global_beside_a_module():
    global HALF_LIFE
    HALF_LIFE = 2.0
    module = Affine(jnp.float32(3.0))
    applied(module, X)
    HALF_LIFE = 8.0
    return called(lambda x: applied(module, x))


class Cooling(eqx.Module):
    """A module with a method under `jit`, to which its array is an argument."""

    rate: jax.Array

    @jax.jit
    def after(self, x):
        return jnp.exp(-self.rate * x / HALF_LIFE)


def global_read_by_a_method_of_a_module():
    global HALF_LIFE
    HALF_LIFE = 2.0
    cooling = Cooling(jnp.float32(3.0))
    cooling.after(X)
    HALF_LIFE = 8.0
    return called(lambda x: cooling.after(x))


class Decay:
    """A law that is a static method, and reads a flag."""

    @staticmethod
    @jax.jit
    def law(x):
        return jnp.exp(-x) if FLAGS[0] else x


def global_flag_read_by_a_static_method():
    global FLAGS
    FLAGS, decay = (False,), Decay()
    decay.law(X)
    FLAGS = (True,)
    return called(lambda x: decay.law(x))


class Factor:
    """A number that is multiplied by, compared by identity."""

    def __init__(self, number):
        self.number = number
        self.fitted = jax.jit(self.response)

    def response(self, x):
        return self.number * x

    @functools.partial(jax.jit, static_argnames="self")
    def steep(self, x):
        return self.number * x**2

    def __call__(self, carry, x):
        carry = self.number * carry + x
        return carry, carry


def attribute_of_the_object_that_a_scan_calls():
    memory = Factor(0.2)

    def smoothed(x):
        return lax.scan(memory, jnp.zeros(()), x)[1]

    smoothed(X)
    memory.number = 0.9
    return observed(smoothed)


def method_of_a_class():
    factor = Factor(1.0)
    factor.steep(X)
    factor.number = 6.0
    return observed(lambda dose: factor.steep(dose))


def bound_method_kept_as_an_attribute():
    factor = Factor(1.0)
    factor.fitted(X)
    factor.number = 6.0
    return called(lambda dose: factor.fitted(dose))


@functools.partial(jax.jit, static_argnums=0)
def multiplied(factor, x):
    return factor.number * x


def argument_changed_in_place():
    factor = Factor(1.0)
    multiplied(factor, X)
    factor.number = 6.0
    return observed(lambda x: multiplied(factor, x))


@dataclasses.dataclass(frozen=True)
class Equal:
    """A number that is equal to one of another type."""

    number: float


def equal_settings():
    multiplied(Equal(2000), COUNTS)
    real = Equal(2000.0)
    return called(lambda counts: multiplied(real, counts), COUNTS)


@dataclasses.dataclass(frozen=True)
class Stop:
    """A condition whose limit is left out of the comparison."""

    name: str
    limit: float = dataclasses.field(compare=False)

    def __call__(self, level):
        return level < self.limit


EARLY, LATE = Stop("full", 3.0), Stop("full", 50.0)


def field_left_out():
    def grow(level):
        return level * 2.0

    lax.while_loop(EARLY, grow, 1.0)
    return called(lambda x: x + lax.while_loop(LATE, grow, 1.0))


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
    return called(functools.partial(lambda old, x: jax.jit(lambda x: x + offsets)(x), kept))


class Jitter:
    """A layer that holds a key, which is set anew before each use."""

    rng_key = jax.random.PRNGKey(0)

    @functools.partial(jax.jit, static_argnums=0)
    def __call__(self, x):
        return x + jax.random.normal(self.rng_key, x.shape)


def key_of_a_layer():
    layer = Jitter()
    layer(X)
    layer.rng_key = jax.random.PRNGKey(1)
    return called(lambda x: layer(x))


@pytest.mark.parametrize(
    ("make", "case", "name"),
    [
        (global_number, "callable-global-changed", "decayed"),
        (global_in_a_list_and_a_helper, "callable-global-changed", "<lambda>"),
        (global_read_by_a_loop, "callable-global-changed", "climb"),
        (global_in_a_nested_function, "callable-global-changed", "<lambda>"),
        (global_beside_traced_containers, "callable-global-changed", "line"),
        (global_beside_a_module, "callable-global-changed", "applied"),
        (global_read_by_a_method_of_a_module, "callable-global-changed", "after"),
        (global_flag_read_by_a_static_method, "callable-global-changed", "law"),
        (attribute_of_the_object_that_a_scan_calls, "callable-attribute-changed", "Factor"),
        (method_of_a_class, "jitted-method", "steep"),
        (bound_method_kept_as_an_attribute, "jitted-method", "response"),
        (argument_changed_in_place, "mutable-key", "multiplied"),
        (field_left_out, "hash-omits-field", "Stop"),
        (equal_settings, "equal-other-type", "multiplied"),
        (equal_numbers, "filter-jit-equal-number", "power"),
        (array_in_place, "numpy-array-in-place", ""),
        (key_of_a_layer, "noise-layer", "__call__"),
    ],
)
def test_only_the_case_that_fits_is_named_with_its_function(make, case, name):
    (finding,) = make().findings
    assert (finding.id, finding.cases) == ("stale-program", (case,)), finding
    assert f"{name} (test_causes.py:" in finding.says or not name


def test_programs_that_are_not_old_are_not_named():
    kept = jax.jit(lambda x: 2.0 * x)
    kept(X)
    global_number()
    (finding,) = observed(lambda x: kept(decayed(x))).findings
    assert "the program of decayed (test_causes.py:" in finding.says
    assert "<lambda>" not in finding.says


# --- a tracer that stays behind ------------------------------------------------------------------

NOTES = []


class Waiting(dist.Normal):
    """A law with a pair that is computed when it is first asked for."""

    @lazy_property
    def pair(self):
        return jnp.sin(self.loc), jnp.cos(self.scale)


class Notes:
    """Keeps what it computes in a way of its own."""

    def __init__(self):
        self.seen, self.rng_key, self.law = [], jax.random.PRNGKey(0), Waiting(1.0, 2.0)
        self.cached = functools.lru_cache(lambda: jnp.sin(1.0))

    @functools.cached_property
    def gain(self):
        return jnp.sin(1.0)


def in_a_list(notes, x):
    notes.seen.append(2.0 * x)
    return x + sum(notes.seen[:-1])


def in_a_global(notes, x):
    NOTES.append(2.0 * x)
    return x


def in_a_property(notes, x):
    return notes.gain * x


def in_a_lazy_tuple(notes, x):
    return notes.law.pair[0] * x


def in_a_cache(notes, x):
    return notes.cached() * x


def as_a_key(notes, x):
    notes.rng_key, key = jax.random.split(notes.rng_key)
    return x + jax.random.normal(key)


def in_nothing(notes, x):
    return 2.0 * x


@pytest.mark.parametrize(
    ("keep", "cases", "place"),
    [
        (in_a_list, (), "seen[0]"),
        (in_a_global, (), "NOTES[0]"),
        (in_a_property, ("cached-property",), "gain"),
        (in_a_lazy_tuple, ("lazy-tuple",), "law.pair[0]"),
        (in_a_cache, ("lru-cache",), "out of sight"),
        (as_a_key, ("noise-layer",), "rng_key"),
        (in_nothing, None, ""),
    ],
)
def test_what_keeps_a_tracer_decides_the_case(keep, cases, place):
    notes = Notes()

    def model():
        level = numpyro.sample("level", dist.Normal(0.0, 1.0))
        numpyro.sample("y", dist.Normal(keep(notes, level), 1.0), obs=1.0)

    reports = [examine(model, checks=["state"])]
    kept = functools.partial(keep, Notes())
    reports.append(examine.function(kept, jnp.float32(1.0), checks=["state"]))
    for report in reports:
        findings = [finding for finding in report.findings if finding.id == "tracer-kept"]
        assert [finding.cases for finding in findings] == ([] if cases is None else [cases]), report
        assert all(place in finding.says for finding in findings), report


# --- one key twice -------------------------------------------------------------------------------


@pytest.mark.parametrize("draw", [jax.random.normal, jax.random.uniform])
@pytest.mark.parametrize("twice", [True, False])
def test_a_key_that_is_used_twice_outside_of_sites_is_a_hint(draw, twice):
    def model(y):
        level = numpyro.sample("level", dist.Normal(0.0, 1.0))
        key = numpyro.prng_key()
        keys = (key, key) if twice else jax.random.split(key)
        noise = draw(keys[0], (3,)) - draw(keys[1], (3,))
        numpyro.sample("y", dist.Normal(level + noise, 1.0).to_event(1), obs=y)

    report = examine(model, jnp.ones(3), checks=["keys"])
    assert [(hint.id, hint.cases) for hint in report.hints] == [("same-key", ())] * twice, report
    assert report.ok and all(hint.file == __file__ for hint in report.hints)


# --- one cause, one finding ---------------------------------------------------------------------

PENALTY = jax.jit(lambda law, value: law.log_prob(value))


@pytest.mark.parametrize(("known", "hints"), [(0.0, []), (-np.inf, ["overflow"])])
def test_a_copy_that_forgets_its_bounds_is_not_hinted_at_again(known, hints):
    def model(law):
        x = numpyro.sample("x", dist.Normal(0.0, 1.0))
        numpyro.factor("penalty", PENALTY(law, -1.0 - x**2))
        numpyro.factor("more", 0.0 * x if isinstance(x, jax.core.Tracer) else known)

    report = examine(model, dist.Exponential(1.0), checks=["jit", "pytree"])
    assert [finding.id for finding in report.findings] == ["copy-forgets-bounds"], report
    assert [hint.id for hint in report.hints] == hints, report
