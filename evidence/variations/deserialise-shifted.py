"""Variations of *A saved model is loaded one leaf off*: the numbers that are loaded."""

import io
import json

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from evidence.variation import vary


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


def _by_header(make, trained, **settings):
    """What is loaded with and without the settings in the first line."""
    plain, with_header = io.BytesIO(), io.BytesIO()
    eqx.tree_serialise_leaves(plain, trained)
    with_header.write(json.dumps(settings).encode() + b"\n")
    eqx.tree_serialise_leaves(with_header, trained)
    plain.seek(0), with_header.seek(0)
    bare = eqx.tree_deserialise_leaves(plain, make())
    made = make(**json.loads(with_header.readline()))
    return bare, eqx.tree_deserialise_leaves(with_header, made)


@vary("a dictionary with a first key more, in bytes", "silent", "holds")
def _():
    def make(names=("decay", "mean")):
        return {name: jnp.zeros(2) for name in names}

    trained = {"bias": jnp.ones(2), "decay": 2 * jnp.ones(2), "mean": 3 * jnp.ones(2)}
    bare, made = _by_header(make, trained, names=sorted(trained))
    return bare["mean"], [3.0, 3.0], made["mean"]


@vary("layer norms without a bias", "silent", "holds")
def _():
    def make(use_bias=False):
        return [eqx.nn.LayerNorm(2, use_bias=use_bias) for _ in range(2)]

    trained = [eqx.tree_at(lambda norm: norm.bias, norm, jnp.ones(2) + 1) for norm in make(True)]
    bare, made = _by_header(make, trained, use_bias=True)
    run = lambda norms: norms[1](norms[0](jnp.array([1.0, 3.0])))
    return run(bare), run(trained), run(made)
