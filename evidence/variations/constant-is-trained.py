"""Variations of *A constant of the model is trained too*: the constant after training."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from evidence.variation import vary

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


class Fixed(eqx.Module):
    """The constant is no leaf."""

    slope: jax.Array
    offset: float = eqx.field(static=True)

    def __call__(self, x):
        return self.slope * x + self.offset


SLOPES = eqx.filter_grad(loss)


def step(model, slopes=SLOPES):
    move = lambda leaf, slope: leaf if slope is None else leaf - 0.1 * slope
    return jax.tree.map(move, model, slopes(model), is_leaf=lambda leaf: leaf is None)


def looped(model, **options):
    return jax.lax.fori_loop(0, 20, lambda _, model: step(model, **options), model).offset


def compiled(model, jit=jax.jit, **options):
    one = jit(lambda model: step(model, **options))
    for _ in range(20):
        model = one(model)
    return model.offset


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
line = lambda constant, held=False: Line(constant, jnp.array(0.0), held)
vary("a Python number, without jit", "silent", "holds")(
    lambda: (offset(HALF), 0.5, lambda: offset(0.5))
)
vary("a Python number, under eqx.filter_jit", "silent", "holds")(
    lambda: (offset(HALF), 0.5, lambda: compiled(line(0.5), eqx.filter_jit))
)
vary("looks right: a Python number, under jax.jit", "silent", "falls")(
    lambda: (offset(HALF), 0.5, lambda: compiled(line(0.5)))
)
vary("looks right: a Python number, in a loop's carry", "silent", "falls")(
    lambda: (offset(HALF), 0.5, lambda: looped(line(0.5)))
)
for where, run in (
    ("eqx.filter_jit", lambda model, **options: compiled(model, eqx.filter_jit, **options)),
    ("jax.jit", compiled),
    ("a loop's carry", looped),
):
    vary(f"stop_gradient, under {where}", "silent", "holds")(
        lambda run=run: (run(line(HALF)), 0.5, lambda: run(line(HALF, held=True)))
    )
    vary(f"a static field, under {where}", "silent", "holds")(
        lambda run=run: (run(line(HALF)), 0.5, lambda: run(Fixed(jnp.array(0.0), 0.5)))
    )
    vary(f"partition, under {where}", "silent", "holds")(
        lambda run=run: (run(line(HALF)), 0.5, lambda: run(line(HALF), slopes=only_the_slope))
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
