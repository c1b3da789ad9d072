"""Variations of *A saved model is loaded one leaf off*: the numbers that are loaded."""

import io
import json

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from tools.variations import vary


def loaded(saved, skeleton):
    file = io.BytesIO()
    eqx.tree_serialise_leaves(file, saved)
    file.seek(0)
    model = eqx.tree_deserialise_leaves(file, skeleton)
    return np.concatenate([np.ravel(leaf) for leaf in numbers(model)])


def numbers(model):
    return jax.tree.leaves(eqx.filter(model, eqx.is_array_like))


def with_settings(saved, untrained, **settings):
    file = io.BytesIO()
    file.write((json.dumps(settings) + "\n").encode())
    eqx.tree_serialise_leaves(file, saved)
    file.seek(0)
    model = eqx.tree_deserialise_leaves(file, untrained(**json.loads(file.readline())))
    return np.concatenate([np.ravel(leaf) for leaf in numbers(model)])


def line(learned):
    return jnp.array(9.0) if learned else jnp.tanh, jnp.array(1.0), jnp.array(2.0)


def mlp(depth=2, key=0, shift=0.0):
    net = eqx.nn.MLP(4, 4, 4, depth, key=jax.random.PRNGKey(key))
    return jax.tree.map(lambda leaf: leaf + shift if eqx.is_array(leaf) else leaf, net)


def square(order):
    weights = {name: jnp.full((3, 3), value) for name, value in (("a", 1.0), ("b", 2.0))}
    return [weights[name] for name in order]


@vary("a function in front, as on the page", "silent", "holds")
def _():
    cured = lambda: with_settings(line(True), line, learned=True)[1:]
    return loaded(line(True), line(False)), [1.0, 2.0], cured


@vary("the other way round: saved as a function", "TreePathError", "holds")
def _():
    cured = lambda: with_settings(line(False), line, learned=False)
    return lambda: loaded(line(False), line(True)), [1.0, 2.0], cured


@vary("two square weights in another order", "silent", "holds")
def _():
    right = np.repeat([1.0, 2.0], 9)
    return (
        loaded(square("ab"), square("ba")),
        right[::-1],
        lambda: with_settings(square("ab"), square, order="ab")[::-1],
    )


@vary("an MLP of equal width, one layer fewer", "silent", "holds")
def _():
    right = np.concatenate([np.ravel(leaf) for leaf in numbers(mlp(3))])
    cured = lambda: with_settings(mlp(3), mlp, depth=3)
    return loaded(mlp(3), mlp(2)), right, cured


@vary("looks right: bytes left over, in another order", "silent", "falls")
def _():
    file = io.BytesIO()
    eqx.tree_serialise_leaves(file, square("ab"))
    file.seek(0)
    eqx.tree_deserialise_leaves(file, square("ba"))
    return loaded(square("ab"), square("ab"))[0] + 1, 1.0, lambda: float(len(file.read()))
