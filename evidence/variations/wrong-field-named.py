"""Variations of *The carry error names the wrong field of a NamedTuple*: is it the right one?"""

import dataclasses
import functools
import re
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from evidence.variation import vary


class State(NamedTuple):
    count: Any
    previous: Any
    last: Any = 0.0


@functools.partial(
    jax.tree_util.register_dataclass, data_fields=["count", "previous", "last"], meta_fields=[]
)
@dataclasses.dataclass
class Registered:
    count: Any
    previous: Any
    last: Any = 0.0


class Module(eqx.Module):
    count: Any
    previous: Any
    last: Any = 0.0


def as_dict(**fields):
    return {"last": 0.0, **fields}


def scanned(step, init):
    lax.scan(lambda carry, x: (step(carry), None), init, jnp.ones(3))


def looped(step, init):
    lax.while_loop(lambda carry: True, step, init)


def branches(step, init):
    lax.cond(True, step, lambda carry: carry, init)


def fields(text):
    return " ".join(sorted(set(re.findall(r"\b(count|previous|last)\b", text))))


def named(before, after, loop):
    """Return the fields that the error names."""
    try:
        loop(lambda carry: after, before)
    except TypeError as error:
        return fields(str(error))
    return "no error"


def by_paths(before, after):
    """The cure: compare the fields by their paths."""

    def paths(tree):
        leaves, _ = jax.tree_util.tree_flatten_with_path(tree)
        return {jax.tree_util.keystr(path) for path, _ in leaves}

    return fields(" ".join(paths(before) ^ paths(after)))


def three(changed="previous", make=State, loop=scanned, old=None, new=1.0):
    start = {"count": 0.0, "previous": 0.0, "last": 0.0}
    before, after = make(**{**start, changed: old}), make(**{**start, changed: new})
    right = lambda name: name == changed
    return lambda: right(named(before, after, loop)), True, lambda: right(by_paths(before, after))


vary("the second field", "right", "holds")(lambda: three())
vary("the first field", "right", "holds")(lambda: three("count"))
vary("the third field", "right", "holds")(lambda: three("last"))
vary("from an array to None", "right", "holds")(lambda: three(old=1.0, new=None))
vary("while_loop", "right", "holds", then=("silent", "holds"))(lambda: three(loop=looped))
vary("cond", "right", "holds", then=("silent", "holds"))(lambda: three(loop=branches))
vary("a tuple that becomes longer", "right", "holds")(lambda: three(old=(1.0,), new=(1.0, 2.0)))
vary("a registered dataclass", "right", "holds")(lambda: three(make=Registered))
vary("a module of Equinox", "right", "holds")(lambda: three(make=Module))
vary("a dict", "right", "holds")(lambda: three(make=as_dict))
vary("another shape, not another structure", "right", "falls")(
    lambda: three(old=np.zeros(2), new=np.zeros(3))
)


@vary("a state within a state, in a list, by fori_loop", "right", "holds")
def _():
    class Inner(NamedTuple):
        count: Any
        previous: Any

    class Outer(NamedTuple):
        count: Any
        inner: Any

    def make(previous):
        return [Outer(count=0.0, inner=Inner(count=1.0, previous=previous))]

    loop = lambda step, init: lax.fori_loop(0, 2, lambda _, state: step(state), init)
    right = lambda text: "inner.previous" in str(text) and "inner.count" not in str(text)

    def message(before, after):
        try:
            loop(lambda state: after, before)
        except TypeError as error:
            return error

    def paths(tree):
        leaves, _ = jax.tree_util.tree_flatten_with_path(tree)
        return {jax.tree_util.keystr(path) for path, _ in leaves}

    before, after = make(None), make(1.0)
    return lambda: right(message(before, after)), True, lambda: right(paths(before) ^ paths(after))
