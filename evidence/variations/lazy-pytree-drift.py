"""Variations of *Lazy pytree drift*: a location carried through a loop; the cure carries arrays."""

import copy

import jax
import jax.numpy as jnp
import numpy as np
import numpyro.distributions as dist
from jax import lax

from evidence.variation import vary

low = jnp.array([[2.0, 0.0], [1.0, 1.0]])
matrix = low @ low.T


def normal(loc, by="scale_tril", value=low):
    return dist.MultivariateNormal(loc, **{by: value})


def three(
    loop, make=normal, read="covariance_matrix", before=True, inside=False, steps=3, same=False
):
    belief = make(jnp.zeros(2))
    if before:
        getattr(belief, read)

    def move(belief, _):
        if inside:
            getattr(belief, read)
        return belief if same else make(belief.loc + 1.0), None

    def move_array(loc, _):
        spot = make(loc)
        if inside:
            getattr(spot, read)
        return spot.loc if same else spot.loc + 1.0, None

    end = np.zeros(2) + (0 if same else steps)
    return lambda: loop(move, belief, steps).loc, end, lambda: loop(move_array, belief.loc, steps)


def scanned(step, carry, steps):
    return lax.scan(step, carry, None, length=steps)[0]


def fori(step, carry, steps):
    return lax.fori_loop(0, steps, lambda i, c: step(c, None)[0], carry)


def jitted(step, carry, steps):
    return jax.jit(lambda c: scanned(step, c, steps))(carry)


def looped(step, carry, steps):
    cond = lambda c: c[0] < steps
    return lax.while_loop(cond, lambda c: (c[0] + 1, step(c[1], None)[0]), (0, carry))[1]


OLD = ("TypeError", "holds")


@vary("read before the loop", "right", "holds", then=OLD)
def _():
    return three(scanned)


@vary("read inside only, carry passed on", "right", "holds", then=OLD)
def _():
    return three(scanned, before=False, inside=True, same=True)


@vary("read on both sides, fresh object returned", "right", "holds", then=OLD)
def _():
    return three(scanned, inside=True)


@vary("read on both sides, carry passed on", "right", "holds")
def _():
    return three(scanned, inside=True, same=True)


@vary("while_loop", "right", "holds", then=OLD)
def _():
    return three(looped)


@vary("fori_loop", "right", "holds", then=OLD)
def _():
    return three(fori)


@vary("under jit", "right", "holds", then=OLD)
def _():
    return three(jitted)


@vary("made from a covariance, precision read", "right", "holds", then=OLD)
def _():
    made = lambda loc: normal(loc, "covariance_matrix", matrix)
    return three(scanned, made, read="precision_matrix")


@vary("a property that is no parameter", "right", "holds")
def _():
    return three(scanned, read="mean")


@vary("one step", "right", "holds", then=OLD)
def _():
    return three(scanned, steps=1)


def prepared(change):
    """Read the covariance, apply `change`, and hand fresh objects through the loop."""
    belief = normal(jnp.zeros(2))
    belief.covariance_matrix  # noqa: B018
    move = lambda belief, _: (normal(belief.loc + 1.0), None)
    return *three(scanned)[:2], lambda: scanned(move, change(belief), 3).loc


def all_read(belief):
    for name in ("scale_tril", "covariance_matrix", "precision_matrix"):
        getattr(belief, name)
    return belief


def read_from_copy():
    """Read in each step, from a copy that is thrown away."""

    def move(belief, _):
        jax.tree.map(lambda leaf: leaf, belief).covariance_matrix  # noqa: B018
        return normal(belief.loc + 1.0), None

    return *three(scanned)[:2], lambda: scanned(move, normal(jnp.zeros(2)), 3).loc


NEITHER = ("TypeError", "TypeError")
vary("the cure is to read from a copy", "right", "holds", then=OLD)(read_from_copy)
vary("looks right: all properties before", "right", "holds", then=NEITHER)(
    lambda: prepared(all_read)
)
vary("looks right: copy.copy before", "right", "holds", then=NEITHER)(lambda: prepared(copy.copy))
vary("looks right: deepcopy before", "right", "holds", then=NEITHER)(
    lambda: prepared(copy.deepcopy)
)
vary("looks right: tree.map before", "right", "holds", then=NEITHER)(
    lambda: prepared(lambda belief: jax.tree.map(lambda leaf: leaf, belief))
)
