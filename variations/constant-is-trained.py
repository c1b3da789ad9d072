"""Variations of *A constant of the model is trained too*: the constant after training."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from tools.variations import vary

X = np.linspace(1.0, 2.0, 9)
Y = 3.0 * X + 1.0


class Line(eqx.Module):
    offset: Any
    slope: jax.Array
    held: bool = eqx.field(static=True)

    def __call__(self, x):
        offset = jax.lax.stop_gradient(self.offset) if self.held else self.offset
        return self.slope * x + offset


def loss(model):
    return jnp.mean((model(X) - Y) ** 2)


def train(model, decay=0.0):
    slopes = eqx.filter_grad(loss)
    for _ in range(20):
        updates = jax.tree.map(
            lambda slope, leaf: -0.1 * (slope + decay * leaf),
            slopes(model),
            eqx.filter(model, eqx.is_inexact_array),
        )
        model = eqx.apply_updates(model, updates)
    return model


def offset(constant, held=False, **options):
    return train(Line(constant, jnp.array(0.0), held), **options).offset


def only_the_slope(model):
    spec = eqx.tree_at(lambda tree: tree.slope, jax.tree.map(lambda _: False, model), True)
    trained, fixed = eqx.partition(model, spec)
    return eqx.filter_grad(lambda trained: loss(eqx.combine(trained, fixed)))(trained)


HALF = jnp.array(0.5)
cured = lambda: offset(HALF, held=True)
vary("as on the page", "silent", "holds")(lambda: (offset(HALF), 0.5, cured))
vary("an array of three", "silent", "holds")(
    lambda: (
        offset(jnp.full(9, 0.5)),
        np.full(9, 0.5),
        lambda: offset(jnp.full(9, 0.5), held=True),
    )
)
vary("a NumPy array", "silent", "holds")(
    lambda: (offset(np.array(0.5)), 0.5, lambda: offset(np.array(0.5), held=True))
)
vary("the cure is a Python number", "silent", "holds")(
    lambda: (offset(HALF), 0.5, lambda: offset(0.5))
)
vary("looks right: a NumPy array", "silent", "falls")(
    lambda: (offset(HALF), 0.5, lambda: offset(np.array(0.5)))
)
vary("looks right: stop_gradient at the start", "silent", "falls")(
    lambda: (offset(HALF), 0.5, lambda: offset(jax.lax.stop_gradient(HALF)))
)
vary("looks right: stop_gradient, with weight decay", "silent", "falls")(
    lambda: (offset(HALF), 0.5, lambda: offset(HALF, held=True, decay=0.1))
)


@vary("partition, with weight decay", "silent", "holds")
def _():
    def part():
        model = Line(HALF, jnp.array(0.0), False)
        for _ in range(20):
            update = -0.1 * (only_the_slope(model).slope + 0.1 * model.slope)
            model = eqx.tree_at(lambda tree: tree.slope, model, model.slope + update)
        return model.offset

    return offset(HALF), 0.5, part


@vary("the opposite: a parameter that is a Python number", "silent", "holds")
def _():
    slope = lambda start: train(Line(1.0, start, False)).slope
    return slope(0.0), slope(jnp.array(0.0)), lambda: slope(jnp.array(0.0))
