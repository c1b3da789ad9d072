"""Variations of *Every lane of a loop computes as long as the slowest*: steps computed."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from evidence.variation import vary

LENGTHS = np.array([3, 2, 5, 40, 1, 2])


def counted(function, run, lanes=LENGTHS):
    """Return how often `function` called what it is given, when `run` runs it on all lanes."""
    computed = []

    def note(value):
        jax.debug.callback(computed.append, value)

    jax.block_until_ready(
        jax.jit(lambda lanes: run(lambda lane: function(lane, note), lanes))(lanes)
    )
    jax.effects_barrier()
    return len(computed)


def together(function, lanes):
    return jax.vmap(function)(lanes)


def one_by_one(function, lanes):
    return lax.map(function, lanes)


def while_loop(length, note):
    def step(done):
        note(done)
        return done + 1

    return lax.while_loop(lambda done: done < length, step, 0)


def fori_loop(length, note):
    def step(_, total):
        note(total)
        return total + 1.0

    return lax.fori_loop(0, length, step, 0.0)


def scan(length, note):
    def step(total, number):
        note(total)
        return total + jnp.where(number < length, 1.0, 0.0), None

    return lax.scan(step, 0.0, jnp.arange(40))[0]


def branch(length, note):
    def long(length):
        note(length)
        return length

    return lax.cond(length > 10, long, lambda length: -length, length)


def three(function, needed, cure=one_by_one):
    return counted(function, together), needed, counted(function, cure)


@vary("while_loop", "silent", "holds")
def _():
    return three(while_loop, LENGTHS.sum())


@vary("fori_loop, whose end is the lane's", "silent", "holds")
def _():
    return three(fori_loop, LENGTHS.sum())


@vary("cond: both branches of all lanes", "silent", "holds")
def _():
    return three(branch, (LENGTHS > 10).sum())


@vary("scan of fixed length: no loop ends early", "right", "holds")
def _():
    return three(scan, 40 * len(LENGTHS))


@vary("lanes of equal length", "right", "holds")
def _():
    lanes = np.full(6, 7)
    counts = [counted(while_loop, run, lanes) for run in (together, one_by_one)]
    return counts[0], lanes.sum(), counts[1]


@vary("looks right: groups in an order that is not sorted", "silent", "falls")
def _():
    groups = lambda function, lanes: lax.map(function, lanes, batch_size=3)
    return counted(while_loop, together), LENGTHS.sum(), lambda: counted(while_loop, groups)


def _steps_of(run):
    """How many steps are computed, as counted by the program itself."""
    computed = []

    def halvings(x):
        def step(state):
            jax.debug.callback(computed.append, state[0])
            return state[0] / 2, state[1] + 1

        return lax.while_loop(lambda state: state[0] > 1.0, step, (x, 0))[1]

    jax.block_until_ready(run(halvings))
    jax.effects_barrier()
    return len(computed)


XS = np.float32([1, 2, 1, 1, 2, 2**20])  # 0, 1, 0, 0, 1, and 20 halvings


@vary("a scan over batches, in a class", "silent", "holds")
def _():
    class Solver:
        def __init__(self, each):
            self.each = each

        def __call__(self, batches):
            return lax.scan(lambda _, batch: (None, self.each(batch)), None, batches)[1]

    batches = np.stack([XS, XS])
    return (
        lambda: _steps_of(lambda f: jax.jit(Solver(jax.vmap(f)))(batches)),
        44,
        lambda: _steps_of(lambda f: jax.jit(Solver(lambda b: lax.map(f, b)))(batches)),
    )


@vary("looks right: lax.map within another vmap", "silent", "falls")
def _():
    systems = np.stack([XS, XS[::-1]])
    return (
        lambda: _steps_of(lambda f: jax.jit(jax.vmap(jax.vmap(f)))(systems)),
        44,
        lambda: _steps_of(lambda f: jax.jit(jax.vmap(lambda xs: lax.map(f, xs)))(systems)),
    )


@vary("two systems, and lax.map around both", "silent", "holds")
def _():
    systems = np.stack([XS, XS[::-1]])
    return (
        lambda: _steps_of(lambda f: jax.jit(jax.vmap(jax.vmap(f)))(systems)),
        44,
        lambda: _steps_of(lambda f: lax.map(f, systems.ravel())),
    )


@vary("sorted, in groups of three", "silent", "holds")
def _():
    groups = np.sort(XS).reshape(2, 3)
    return (
        lambda: _steps_of(lambda f: jax.vmap(f)(XS)),
        0 + 3 * 20,
        lambda: _steps_of(lambda f: [jax.jit(jax.vmap(f))(group) for group in groups]),
    )
