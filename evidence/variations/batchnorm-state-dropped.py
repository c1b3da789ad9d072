"""Variations of *BatchNorm is trained without its state*: the fitted points, and the true ones."""

import warnings

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from evidence.variation import vary

warnings.simplefilter("ignore")
jax.config.update("jax_disable_most_optimizations", True)
BATCH = {"mode": "batch"} if "mode" in eqx.nn.BatchNorm.__annotations__ else {}


class Network(eqx.Module):
    layers: eqx.nn.Sequential

    def __init__(self, key, mode):
        one, two = jax.random.split(key)
        norm = eqx.nn.BatchNorm(8, axis_name="batch", momentum=0.9, **mode)
        relu = eqx.nn.Lambda(jax.nn.relu)
        layers = [eqx.nn.Linear(2, 8, key=one), norm, relu, eqx.nn.Linear(8, 1, key=two)]
        self.layers = eqx.nn.Sequential(layers)

    def __call__(self, x, state):
        out, state = self.layers(x, state)
        return out[0], state


def data(number=0, center=3.0, n=64):
    inputs = np.random.default_rng(number).normal(center, 2.0, size=(n, 2))
    return inputs, inputs[:, 0] - 0.5 * inputs[:, 1]


def run(network, state, inputs):
    over = {"in_axes": (0, None), "out_axes": (0, None)}
    return jax.vmap(network, axis_name="batch", **over)(inputs, state)


@eqx.filter_value_and_grad(has_aux=True)
def slope(network, state, inputs, heights):
    fitted, state = run(network, state, inputs)
    return jnp.mean((fitted - heights) ** 2), state


@eqx.filter_jit
def step(network, state, inputs, heights):
    (_, state), slopes = slope(network, state, inputs, heights)
    moves = jax.tree.map(lambda one: -0.05 * one, slopes)
    return eqx.apply_updates(network, moves), state


def by_loop(network, state, inputs, heights, keep):
    for _ in range(1000):
        network, new = step(network, state, inputs, heights)
        state = new if keep else state
    return network, state


def by_scan(network, state, inputs, heights, keep):
    arrays, rest = eqx.partition(network, eqx.is_array)

    def one(carry, _):
        arrays, state = carry
        network, new = step(eqx.combine(arrays, rest), state, inputs, heights)
        return (eqx.filter(network, eqx.is_array), new if keep else state), None

    (arrays, state), _ = lax.scan(one, (arrays, state), None, length=1000)
    return eqx.combine(arrays, rest), state


def three(train=by_loop, mode=BATCH, seed=0, cure=True, **options):
    inputs, heights = data(**options)
    start, state = eqx.nn.make_with_state(Network)(jax.random.PRNGKey(seed), mode)

    def fitted(keep):
        network, last = train(start, state, inputs, heights, keep)
        out = run(eqx.nn.inference_mode(network), last, inputs)[0]
        return bool(np.abs(out - heights).max() < 0.3)

    return lambda: fitted(False), True, lambda: fitted(cure)


vary("as on the page", "silent", "holds")(lambda: three())
vary("another seed of the network", "silent", "holds")(lambda: three(seed=1))
vary("other data", "silent", "holds")(lambda: three(number=1, n=40))
vary("inputs around zero", "silent", "holds")(lambda: three(center=0.0))
vary("a scan", "silent", "holds")(lambda: three(by_scan))


@vary("the state kept, and not saved with the network", "silent", "holds")
def not_saved():
    inputs, heights = data()
    make = eqx.nn.make_with_state(Network)
    start, state = make(jax.random.PRNGKey(0), BATCH)
    network, last = by_loop(start, state, inputs, heights, True)

    def after(*trees):
        """Whether inference is right with what was saved, and new where nothing was."""
        _, fresh = make(jax.random.PRNGKey(1), BATCH)
        network, state = trees if len(trees) > 1 else (*trees, fresh)
        out = run(eqx.nn.inference_mode(network), state, inputs)[0]
        return bool(np.abs(out - heights).max() < 0.3)

    return lambda: after(network), True, lambda: after(network, last)


vary("looks right: inference without inference_mode", "right", "holds")(
    lambda: (lambda: training_mode(), True, lambda: training_mode())
)


def training_mode():
    inputs, heights = data()
    start, state = eqx.nn.make_with_state(Network)(jax.random.PRNGKey(0), BATCH)
    network, _ = by_loop(start, state, inputs, heights, False)
    return bool(np.abs(run(network, state, inputs)[0] - heights).max() < 0.3)


def _standardized(steps, keep, **options):
    inputs = np.random.default_rng(3).normal(3.0, 2.0, size=(64, 2)).astype("float32")
    norm, state = eqx.nn.make_with_state(eqx.nn.BatchNorm)(2, axis_name="batch", **options)
    for _ in range(steps):
        _, new = run(norm, state, inputs)
        state = new if keep else state
    out = run(eqx.nn.inference_mode(norm), state, inputs)[0]
    right = (inputs - inputs.mean(axis=0)) / inputs.std(axis=0)
    return bool(np.abs(out - right).max() < 0.1)


vary("the layer alone, momentum 0.5", "silent", "holds")(
    lambda: (
        lambda: _standardized(20, keep=False, momentum=0.5, **BATCH),
        True,
        lambda: _standardized(20, keep=True, momentum=0.5, **BATCH),
    )
)
vary("the default momentum, twenty steps", "silent", "falls", then=("silent", "holds"))(
    lambda: (
        lambda: _standardized(20, keep=False, **BATCH),
        True,
        lambda: _standardized(20, keep=True, **BATCH),
    )
)


@vary("a layer of one's own that counts, filter_jit", "silent", "holds")
def _():
    class Counted(eqx.Module):
        count: eqx.nn.StateIndex

        def __init__(self):
            self.count = eqx.nn.StateIndex(jnp.array(0))

        @eqx.filter_jit
        def __call__(self, x, state):
            return x, state.set(self.count, state.get(self.count) + 1)

    def counted(keep):
        layer, state = eqx.nn.make_with_state(Counted)()
        for _ in range(5):
            _, new = layer(1.0, state)
            state = new if keep else state
        return state.get(layer.count)

    return lambda: counted(False), 5, lambda: counted(True)
