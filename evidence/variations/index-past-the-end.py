"""Variations of *An index past the end returns the last element*."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from evidence.variation import vary

VALUES = np.array([4.0, -3.0, 1.0, 6.0, -6.0])
LABELS = np.array([1, 2, 3, 4, 5])


def cured_index(labels):
    return np.unique(labels, return_inverse=True)[1]


@vary("labels from 1, read", "silent", "holds")
def _():
    values = jnp.asarray(VALUES)
    return values[LABELS], VALUES, lambda: values[cured_index(LABELS)]


@vary("labels from 1, under jit", "silent", "holds")
def _():
    read = jax.jit(lambda values, index: values[index])
    return read(VALUES, LABELS), VALUES, lambda: read(VALUES, cured_index(LABELS))


@vary("labels with a gap, rows of a table", "silent", "holds")
def _():
    table, labels = np.outer(VALUES, [1.0, 10.0]), np.array([10, 20, 30, 40, 50])
    return jnp.asarray(table)[labels], table, lambda: jnp.asarray(table)[cured_index(labels)]


@vary("the gradient", "silent", "holds")
def _():
    of = lambda index: jax.grad(lambda values: (values[index] ** 2).sum())(jnp.asarray(VALUES))
    return of(LABELS), 2 * VALUES, lambda: of(cured_index(LABELS))


@vary("forward and reverse mode", "silent", "holds")
def _():
    of = lambda way, index: way(lambda values: (values[index] ** 2).sum())(jnp.asarray(VALUES))
    return (
        lambda: of(jax.grad, LABELS),
        of(jax.jacfwd, LABELS),
        lambda: of(jax.grad, cured_index(LABELS)) + of(jax.jacfwd, LABELS) - 2 * VALUES,
    )


@vary("a write", "silent", "holds")
def _():
    counts = lambda index: jnp.zeros(5).at[index].add(1.0)
    return counts(LABELS), np.ones(5), lambda: counts(cured_index(LABELS))


@vary("dynamic_slice: the whole slice moves", "silent", "holds")
def _():
    padded = np.append(VALUES, [0.0, 0.0])
    return (
        lax.dynamic_slice(jnp.asarray(VALUES), (4,), (3,)),
        padded[4:7],
        lambda: lax.dynamic_slice(jnp.asarray(padded), (4,), (3,)),
    )


@vary("looks right: one effect more", "silent", "falls")
def _():
    six = jnp.append(jnp.asarray(VALUES), 0.0)
    return jnp.asarray(VALUES)[LABELS], VALUES, lambda: six[LABELS]


@vary("labels from 0", "right", "holds")
def _():
    values = jnp.asarray(VALUES)
    return values[LABELS - 1], VALUES, lambda: values[cured_index(LABELS - 1)]


@vary("sums by segment, numbers from 1", "silent", "holds")
def _():
    day, rain = np.array([1, 1, 2, 3, 3]), np.float32([1, 2, 3, 4, 5])
    total = jax.jit(lambda i: jax.ops.segment_sum(rain, i, num_segments=3))
    return lambda: total(day), [3, 3, 9], lambda: total(np.unique(day, return_inverse=True)[1])


@vary("one_hot in a scan, numbers with a gap", "silent", "holds")
def _():
    clinic, effects = np.array([10, 20, 40, 40]), np.float32([1.0, 2.0, 3.0])

    def total(index):
        one = lambda total, i: (total + jax.nn.one_hot(i, 3) @ effects, None)
        return jax.lax.scan(one, 0.0, jnp.asarray(index))[0]

    index = np.unique(clinic, return_inverse=True)[1]
    return lambda: total(clinic // 10 - 1), 9.0, lambda: total(index)
