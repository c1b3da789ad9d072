"""The checks that readers import say what is wrong, also where a chapter does not show it.

Each test imports JAX itself, which takes seconds.
"""

from types import SimpleNamespace
from typing import NamedTuple

import jax
import pytest

pytestmark = pytest.mark.slow


@pytest.fixture
def checks():
    from trace_evidence import checks

    return checks


@pytest.fixture
def keys():
    from jax import random

    return random.split(random.key(1), 4)


class Drifting:
    """A pytree that flattens what a read has stored, and whose read then fails."""

    def __init__(self, scale, stored=None):
        self.scale, self.stored = scale, stored

    @property
    def variance(self):
        self.stored = self.scale**2
        return self.no_such_attribute

    def tree_flatten(self):
        return (self.scale, self.stored), None

    @classmethod
    def tree_unflatten(cls, aux_data, children):
        return cls(*children)


def test_a_read_that_raises_is_looked_at_and_the_instance_itself_stays_unread(checks):
    import jax

    jax.tree_util.register_pytree_node_class(Drifting)
    fresh = Drifting(2.0)
    with pytest.raises(AssertionError, match="reading 'variance' turned"):
        checks.check_reads_keep_structure(fresh)
    assert fresh.stored is None
    checks.check_reads_keep_structure(Drifting(2.0, stored=4.0))  # read before: ask for a fresh one


def test_tuples_are_entered_and_an_object_that_holds_itself_is_entered_once(checks, keys):
    import jax

    holder, inner = SimpleNamespace(), SimpleNamespace()
    jax.eval_shape(lambda x: setattr(inner, "rng_key", x), 1.0)
    holder.pair = 1.0, inner
    holder.itself = holder
    assert checks.held_tracers(holder, "holder") == ["holder.pair.1.rng_key"]
    assert checks.held_tracers(SimpleNamespace(pair=(1.0, keys)), "holder") == []


def test_lanes_may_share_one_parameter_and_not_all_of_them(checks, keys):
    from jax import numpy, random

    def scaled(key):
        return {"loc": random.normal(key), "scale": numpy.array(0.1)}

    checks.check_batch(scaled, keys, kept=(1.0, keys))
    with pytest.raises(AssertionError, match=r"\Alane 3 repeats lane 1\Z"):
        checks.check_batch(scaled, keys[numpy.array([0, 1, 2, 1])])


class StepTuple(NamedTuple):
    rate: float
    __hash__ = object.__hash__


class Named:
    """A callable whose hash and `==` leave its rate out."""

    def __init__(self, rate):
        self.name, self.rate = "step", rate

    def __hash__(self):
        return hash(self.name)

    def __eq__(self, other):
        return self.name == other.name


class Unhashed:
    """A callable without a hash, which a compiled function around it has."""

    __hash__ = None

    def __init__(self, rate):
        self.rate = rate

    def __call__(self, carry):
        return carry


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (StepTuple, "not a cache key: cannot create weak reference to 'StepTuple' object"),
        (Named, "callables that hold different values are equal"),
        (lambda rate: jax.jit(Unhashed(rate)), "not a cache key: unhashable type: 'Unhashed'"),
    ],
)
def test_a_callable_that_jax_could_not_look_up_or_would_confuse_is_refused(checks, make, words):
    with pytest.raises(AssertionError, match=words):
        checks.check_key(make, 0.5, 1.0)


def test_a_typed_key_among_the_results_is_compared_by_its_data(checks, keys):
    from jax import numpy, random

    def run(key):
        return {"key": random.split(key)[0], "loc": numpy.array(0.1)}

    checks.check_batch(run, keys)
    with pytest.raises(AssertionError, match=r"\Alane 1 repeats lane 0\Z"):
        checks.check_batch(run, keys[numpy.array([0, 0])])


@pytest.mark.parametrize("by_name", [False, True])
def test_a_model_is_called_with_what_it_takes_by_name(checks, by_name):
    import numpyro
    from numpyro import distributions as dist

    kept = SimpleNamespace()

    def model(y, scale=None, keep=False):
        level = numpyro.sample("level", dist.Normal(0.0, scale))
        kept.level = level if keep else None
        numpyro.sample("y", dist.Normal(level, 1.0), obs=y)

    checks.check_keeps_no_tracer(model, 1.0, scale=2.0)
    arguments = ((1.0,), {"scale": 2.0, "keep": True}) if by_name else ((1.0, 2.0, True), {})
    with pytest.raises(AssertionError, match=r"a tracer is kept:(.|\n)*\.level"):
        checks.check_keeps_no_tracer(model, *arguments[0], **arguments[1])


@pytest.mark.parametrize("where", ["before", "after"])
def test_what_a_solver_keeps_is_no_leak_and_hides_none(checks, where):
    import numpyro
    import optimistix
    from jax import numpy
    from numpyro import distributions as dist

    def model(kept):
        level = numpyro.sample("level", dist.LogNormal(0.0, 1.0))
        half = numpy.exp(-0.5)
        if where == "before":
            half = kept.setdefault("half", half)
        newton = optimistix.Newton(rtol=1e-5, atol=1e-5)
        root = optimistix.root_find(lambda y, a: y**3 + y - a, newton, 0.5, args=level).value
        if where == "after":
            half = kept.setdefault("half", half)
        numpyro.factor("height", -half * root)

    checks.check_keeps_no_tracer(model, {"half": 0.5})
    with pytest.raises(AssertionError, match="a tracer is kept:"):
        checks.check_keeps_no_tracer(model, {})


@pytest.mark.parametrize("rows", [1, 12_000])
def test_a_row_that_is_wrong_is_seen_beside_any_number_of_right_ones(checks, rows):
    import numpyro
    from jax import numpy, random
    from numpyro import distributions as dist

    means = numpy.array([3.0, 3.4, 3.8, 4.2, 4.6])

    def step_with(ones):
        def step(carry, mean):
            with numpyro.plate("gauge", 5):
                law = dist.FoldedDistribution(dist.Normal(mean * ones, 0.5))
                numpyro.sample("y", law, obs=mean * numpy.ones(5))
                with numpyro.plate("rows", rows, dim=-2):
                    numpyro.sample("x", dist.Normal(0.0, 1.0), obs=numpy.ones((rows, 5)))
            return carry, None

        return step

    arguments = None, means, random.key(0)
    checks.check_scan_matches_loop(step_with(numpy.ones(5)), *arguments)
    with pytest.raises(AssertionError, match=r"\Ay, row 0, 1: scan -0\.\d\d, loop -0\.\d\d\Z"):
        checks.check_scan_matches_loop(step_with(1.0), *arguments)


def test_an_instance_that_is_its_own_leaf_is_refused(checks):
    plain = SimpleNamespace(scale=2.0)
    with pytest.raises(AssertionError, match="SimpleNamespace is not registered as a pytree"):
        checks.check_reads_keep_structure(plain)
