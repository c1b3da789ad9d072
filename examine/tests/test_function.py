"""`examine.function`: functions of JAX, without a model."""

import dataclasses
import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from examine_model import examine

X = np.linspace(0.0, 1.0, 20, dtype="float32")


def stale():
    """Return a function that was compiled for another rate."""
    rate = 2.0
    priced = jax.jit(lambda x: rate * x)
    priced(X)
    rate = 5.0
    return priced


class Centred:
    """Keeps the mean of the first data that it sees."""

    mean = None

    def __call__(self, x):
        if self.mean is None:
            self.mean = float(np.mean(x))
        return x - self.mean


@dataclasses.dataclass
class ByName:
    """Settings that are compared by their name."""

    name: str
    factor: float

    def __eq__(self, other):
        return isinstance(other, ByName) and self.name == other.name

    def __hash__(self):
        return hash(self.name)


@dataclasses.dataclass(frozen=True)
class ByValue:
    """Settings that are compared by all that they hold."""

    name: str
    factor: float


@jax.tree_util.register_pytree_node_class
class Scaled:
    """A pytree that forgets its factor, unless it is told to keep it."""

    def __init__(self, values, factor=1.0, kept=False):
        self.values, self.factor, self.kept = values, factor, kept

    def tree_flatten(self):
        return (self.values,), (self.factor, True) if self.kept else ()

    @classmethod
    def tree_unflatten(cls, rest, values):
        return cls(*values, *rest)


def variance(x):
    return jnp.mean(x**2) - jnp.mean(x) ** 2


def scaled(settings, x):
    return settings.factor * x


def total(pytree):
    return pytree.factor * pytree.values


def counting(x):
    return jax.lax.scan(lambda n, _: (n + jnp.int32(1), n), x[0], X)[1]


@functools.partial(jax.jit, donate_argnums=0)
def first_grown(arrays):
    return [2.0 * arrays[0], arrays[1]]


DOUBLES = np.linspace(0.0, 1.0, 20)
NET = eqx.nn.MLP(20, 1, 8, 1, key=jax.random.PRNGKey(0))


@pytest.mark.parametrize(
    ("function", "args", "wanted"),
    [
        (Centred(), (X,), ["data-kept"]),
        (Centred(), (np.ones(3),), ["data-kept"]),
        (scaled, (ByName("low", 2.0), X), ["equal-but-different"]),
        (jax.jit(scaled, static_argnums=0), (ByName("low", 2.0), X), ["equal-but-different"]),
        (scaled, (ByValue("low", 2.0), X), []),
        (total, (Scaled(X, 3.0),), ["copy-differs"]),
        (total, (Scaled(X, 3.0, kept=True),), []),
        (variance, (X + 3000,), ["float32"]),
        (variance, (X,), []),
        (jnp.var, (X + 3000,), []),
        (NET, (X,), []),
        (lambda x: x.astype(float) ** 2, (np.int32([70_000]),), []),
        (lambda x: jnp.exp(1.0 * x), (jnp.array([95]),), ["float32"]),
        (lambda x: x**2, (jnp.array([40_000, 3]),), []),
        (counting, (jnp.arange(3),), []),
        (first_grown, ([jnp.asarray(X), jnp.asarray(X)],), []),
        (jax.jit(variance, donate_argnums=0), (jnp.asarray(X + 3000),), ["float32"]),
        (lambda x: DOUBLES + x, (X,), []),
        (lambda x, number: x[:number], (X, 3), []),
        (lambda rng_key: jax.random.normal(rng_key, (3,)), (jax.random.PRNGKey(0),), []),
    ],
)
def test_a_function_is_found_or_left_alone(function, args, wanted):
    report = examine.function(function, *args)
    assert [finding.id for finding in report.findings] == wanted, report
    assert report.ok is not bool(wanted)


@pytest.mark.parametrize(
    ("function", "number"),
    [
        (lambda x: x**2, np.int32([70_000])),
        (jnp.sum, jnp.full(5_000, 1_000_000)),
        (jnp.sum, np.full(5_000, 1_000_000)),
        (lambda x: {"mean": x.sum(0) / 2.5}, jnp.full((5_000, 2), 1_000_000)),
        (jnp.prod, jnp.full(4, 300)),
    ],
)
def test_whole_numbers_that_overflow_are_named_by_their_case(function, number):
    (finding,) = examine.function(function, number).findings
    assert (finding.id, finding.cases) == ("int32", ("int32-sum",))


def test_what_a_function_deletes_is_a_copy_and_what_is_its_callers_stays():
    x, donated = jnp.arange(5.0), jax.jit(lambda x: 2.0 * x, donate_argnums=0)
    report = examine.function(donated, x)
    assert report.ok and {"jit", "precision"} <= {*report.ran} and not report.not_run, report
    assert not x.is_deleted()
    donated(x)
    assert x.is_deleted(), "it deletes what it is given"


@pytest.mark.parametrize(("last", "hints"), [(19, []), (20, ["index-outside"])])
def test_an_index_past_the_end_is_a_hint(last, hints):
    report = examine.function(lambda x, index: x[index], X, jnp.array([0, last]), checks=["index"])
    assert [hint.id for hint in report.hints] == hints and report.ok


def test_what_cannot_be_compared_is_said():
    def decides(x):
        return x if x[0] == 0 else -x

    report = examine.function(decides, X)
    why = {skipped.check: skipped.why for skipped in report.not_run}
    assert why["jit"].startswith("under `jit` the model raises TracerBoolConversionError")
    assert report.nothing[0].why == "no static argument has attributes"
    with pytest.raises(ValueError, match="unknown check 'keys'"):
        examine.function(decides, X, checks=["keys"])
    assert examine.function(stale(), X, ignore=["stale-program"]).ok
    noisy = examine.function(lambda x: x + np.random.normal(size=x.shape), X, checks=["state"])
    assert [skipped.why for skipped in noisy.not_run] == [
        "it returns another result at each call"
    ], noisy
    (skipped,) = examine.function(Centred(), np.zeros(3), checks=["state"]).not_run
    assert skipped.why == "the model's mean is kept, and it takes no other data made of these"
