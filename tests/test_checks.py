"""The checks that readers import say what is wrong, also where a chapter does not show it."""

import functools
from types import SimpleNamespace
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpyro
import pytest
from jax import random

from trace_evidence import checks

KEYS = random.split(random.key(1), 4)


@jax.tree_util.register_pytree_node_class
class Gaussian:
    """A pytree that flattens what a read has stored."""

    def __init__(self, scale):
        self.scale = scale

    @functools.cached_property
    def variance(self):
        return self.scale**2

    def tree_flatten(self):
        return (self.scale, vars(self).get("variance")), None

    @classmethod
    def tree_unflatten(cls, aux_data, children):
        new = cls(children[0])
        vars(new).update({"variance": children[1]} if children[1] is not None else {})
        return new


@jax.tree_util.register_pytree_node_class
class Unfinished(Gaussian):
    """One whose property stores a value and then fails."""

    variance = None

    @property
    def correlation(self):
        vars(self)["variance"] = self.scale
        return self.no_such_attribute


def test_a_read_that_raises_is_looked_at_and_the_instance_itself_stays_unread():
    unfinished = Unfinished(2.0)
    with pytest.raises(AssertionError, match="reading 'correlation' turned"):
        checks.check_reads_keep_structure(unfinished)
    assert "variance" not in vars(unfinished)


def test_an_instance_that_was_read_before_passes_which_is_why_a_fresh_one_is_asked_for():
    with pytest.raises(AssertionError, match="reading 'variance' turned"):
        checks.check_reads_keep_structure(Gaussian(2.0))
    was_read = Gaussian(2.0)
    assert was_read.variance == 4.0
    checks.check_reads_keep_structure(was_read)


def leaked():
    """Return an object that holds a tracer whose trace is over."""
    holder = SimpleNamespace()
    jax.eval_shape(lambda x: setattr(holder, "rng_key", x), 1.0)
    return holder


def test_tuples_are_entered_and_an_object_that_holds_itself_is_entered_once():
    holder = SimpleNamespace(pair=(1.0, leaked()))
    holder.itself = holder
    assert checks.held_tracers(holder, "holder") == ["holder.pair.1.rng_key"]
    assert checks.held_tracers(SimpleNamespace(pair=(1.0, KEYS)), "holder") == []


def test_lanes_may_share_one_parameter_and_not_all_of_them():
    def scaled(key):
        return {"loc": random.normal(key), "scale": jnp.array(0.1)}

    checks.check_batch(scaled, KEYS, kept=(1.0, KEYS))
    with pytest.raises(AssertionError, match=r"\Alane 3 repeats lane 1\Z"):
        checks.check_batch(scaled, KEYS[jnp.array([0, 1, 2, 1])])


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
def test_a_callable_that_jax_could_not_look_up_or_would_confuse_is_refused(make, words):
    with pytest.raises(AssertionError, match=words):
        checks.check_key(make, 0.5, 1.0)


def test_a_cache_that_was_filled_before_hides_the_leak():
    def bounded(level, holder):
        if not hasattr(holder, "log_mass"):
            holder.log_mass = jnp.log(2.0)
        numpyro.factor("bounds", level - holder.log_mass)

    with pytest.raises(AssertionError, match="a tracer is kept"):
        checks.check_keeps_no_tracer(bounded, 1.0, SimpleNamespace())
    checks.check_keeps_no_tracer(bounded, 1.0, SimpleNamespace(log_mass=0.7))
