"""Variations of *Under `jit`, layer 10 runs before layer 2*: what many layers give."""

from collections import OrderedDict

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from evidence.variation import vary

X = np.array([0.3, 0.5, -0.5])


def made(count=12, name="layer_{}", seed=7):
    rng = np.random.default_rng(seed)
    return {name.format(number): rng.normal(size=(3, 3)) for number in range(1, count + 1)}


def right(layers):
    x = X
    for weight in layers.values():
        x = np.tanh(weight @ x)
    return x


def by_values(layers, x=X):
    for weight in layers.values():
        x = jnp.tanh(weight @ x)
    return x


def by_list(layers, x=X):
    for weight in layers:
        x = jnp.tanh(weight @ x)
    return x


def of_list(layers):
    return jax.jit(by_list)(list(layers.values()))


def three(layers, way=None, cure=None):
    way, cure = way or jax.jit(by_values), cure or of_list
    return lambda: way(layers), lambda: right(layers), lambda: cure(layers)


def mapped(layers):
    return by_values(jax.tree.map(lambda weight: 1.0 * weight, layers))


def stacked(layers):
    weights = jnp.stack(jax.tree.leaves(layers))
    return jax.lax.scan(lambda x, weight: (jnp.tanh(weight @ x), None), jnp.array(X), weights)[0]


def stacked_list(layers):
    return stacked(list(layers.values()))


def by_name(layers):
    def network(layers):
        return by_list([layers[f"layer_{number + 1}"] for number in range(len(layers))])

    return jax.jit(network)(layers)


def filled_again(layers):
    return jax.jit(by_values)(dict(sorted(layers.items(), key=lambda pair: int(pair[0][6:]))))


def ordered(layers):
    return jax.jit(by_values)(OrderedDict(layers))


vary("twelve layers under jit", "silent", "holds")(lambda: three(made()))
vary("ten layers, another seed", "silent", "holds")(lambda: three(made(10, seed=1)))
vary("nine layers", "right", "holds")(lambda: three(made(9)))
vary("without jit", "right", "holds")(lambda: three(made(), by_values))
vary("layers named in, hidden1 to hidden3, head", "silent", "holds")(
    lambda: three(
        {"in": made(1)["layer_1"], **made(3, "hidden{}"), "head": made(1, seed=2)["layer_1"]}
    )
)
vary("names with zeros in front", "right", "holds")(lambda: three(made(12, "layer_{:02}")))
vary("numbers as keys", "right", "holds")(
    lambda: three({number: weight for number, weight in enumerate(made().values())})
)
vary("after jax.tree.map, without jit", "silent", "holds")(lambda: three(made(), mapped))
vary("stacked leaves for scan", "silent", "holds")(lambda: three(made(), stacked, stacked_list))
vary("under vmap", "silent", "holds")(
    lambda: three(
        made(),
        lambda layers: jax.vmap(lambda _, layers: by_values(layers), (0, None))(X[:1], layers)[0],
    )
)
vary("the cure looks up each name", "silent", "holds")(lambda: three(made(), cure=by_name))
vary("the cure is an OrderedDict", "silent", "holds")(lambda: three(made(), cure=ordered))
vary("looks right: a dictionary filled in the right order", "silent", "falls")(
    lambda: three(made(), cure=filled_again)
)


@vary("a field of a module, under filter_grad", "silent", "holds")
def _():
    class Net(eqx.Module):
        blocks: object

        def __call__(self, x):
            blocks = self.blocks
            for scale in blocks.values() if isinstance(blocks, dict) else blocks:
                x = jnp.sin(scale * x)
            return x

    scales = {f"block{i}": jnp.float32(1 + 0.1 * i) for i in range(12)}
    slope = eqx.filter_jit(lambda net: eqx.filter_grad(lambda x: net(x))(jnp.float32(0.3)))

    def by_hand(x=0.3, slope=1.0):
        for scale in map(float, scales.values()):
            x, slope = np.sin(scale * x), slope * scale * np.cos(scale * x)
        return slope

    return lambda: slope(Net(scales)), by_hand(), lambda: slope(Net(list(scales.values())))


@vary("put on a device, stacked for a scan", "silent", "holds")
def _():
    layers = {str(i): np.float32([i, 1.0]) for i in range(1, 11)}

    def run(layers):
        values = layers.values() if isinstance(layers, dict) else layers
        step = lambda x, layer: (0.5 * x + layer[0] * layer[1], None)
        return jax.lax.scan(step, 0.0, jnp.stack(list(values)))[0]

    expected = sum(0.5 ** (10 - i) * i for i in range(1, 11))
    put = jax.device_put
    return lambda: run(put(layers)), expected, lambda: run(put(list(layers.values())))
