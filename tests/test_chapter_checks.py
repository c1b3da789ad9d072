"""The checks that readers import say what is wrong, also where a chapter does not show it.

Each test imports JAX itself, which takes seconds.
"""

from types import SimpleNamespace
from typing import NamedTuple

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


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (StepTuple, "not a cache key: cannot create weak reference to 'StepTuple' object"),
        (Named, "callables that hold different values are equal"),
    ],
)
def test_a_callable_that_jax_could_not_look_up_or_would_confuse_is_refused(checks, make, words):
    with pytest.raises(AssertionError, match=words):
        checks.check_key(make, 0.5, 1.0)
