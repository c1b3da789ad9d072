"""Variations of *filter_jit takes the model apart at every call*: Python calls for each layer."""

import dataclasses
import sys

import equinox as eqx
import jax
import jax.numpy as jnp

from evidence.variation import vary


class Net(eqx.Module):
    layers: list

    def __init__(self, depth):
        keys = jax.random.split(jax.random.PRNGKey(1), depth)
        self.layers = [eqx.nn.Linear(3, 3, key=key) for key in keys]

    def __call__(self, x):
        for layer in self.layers:
            x = jnp.tanh(layer(x))
        return x


class Deep(eqx.Module):
    inner: list
    scale: float = 2.0

    def __init__(self, depth):
        self.inner = [Net(1) for _ in range(depth)]


def shrink(net):
    return jax.tree.map(lambda leaf: 0.9 * leaf if eqx.is_array(leaf) else leaf, net)


def calls(step):
    count = 0

    def see(frame, event, _):
        nonlocal count
        count += event == "call"

    sys.setprofile(see)
    step()
    sys.setprofile(None)
    return count


def per_layer(make):
    """By how many Python calls a step grows with a layer."""

    def count():
        counts = []
        for depth in (12, 22):
            step = make(depth)
            step()
            counts.append(calls(step))
        return (counts[1] - counts[0]) / 10

    return count


def whole(kind=Net, step=shrink, jit=eqx.filter_jit, *more):
    def make(depth):
        net, compiled = kind(depth), jit(step)
        return lambda: compiled(net, *more)

    return per_layer(make)


def flat(kind=Net, step=shrink, *more):
    def make(depth):
        arrays, rest = eqx.partition(kind(depth), eqx.is_array)
        leaves, structure = jax.tree.flatten(arrays)

        @jax.jit
        def compiled(leaves, *more):
            new = step(eqx.combine(jax.tree.unflatten(structure, leaves), rest), *more)
            return jax.tree.leaves(eqx.filter(new, eqx.is_array))

        return lambda: compiled(leaves, *more)

    return per_layer(make)


forward = lambda net, x: net(x)
X = jnp.ones(3)
vary("as on the page", "silent", "holds")(lambda: (whole(), 0, flat()))
vary("the forward pass alone", "silent", "holds")(
    lambda: (whole(Net, forward, eqx.filter_jit, X), 0, flat(Net, forward, X))
)
vary("modules in modules", "silent", "holds")(lambda: (whole(Deep), 0, flat(Deep)))
vary("a gradient", "silent", "holds")(
    lambda: (
        whole(Net, eqx.filter_grad(lambda net, x: net(x).sum()), eqx.filter_jit, X),
        0,
        flat(Net, eqx.filter_grad(lambda net, x: net(x).sum()), X),
    )
)
vary("donated", "silent", "holds")(
    lambda: (
        per_layer(lambda depth: _threaded(depth)), 0, flat(),
    )
)  # fmt: skip


def _threaded(depth):
    box, compiled = [Net(depth)], eqx.filter_jit(shrink, donate="all")

    def step():
        box[0] = compiled(box[0])

    return step


def _parted(depth):
    arrays, rest = eqx.partition(Net(depth), eqx.is_array)
    compiled = jax.jit(lambda arrays: eqx.filter(shrink(eqx.combine(arrays, rest)), eqx.is_array))
    return lambda: compiled(arrays)


vary("looks right: partition once", "silent", "falls")(lambda: (whole(), 0, per_layer(_parted)))


def _bound(depth):
    net = Net(depth)
    compiled = eqx.filter_jit(net.__call__)
    return lambda: compiled(X)


vary("the bound method, whose weights are constants", "silent", "holds")(
    lambda: (whole(), 0, per_layer(_bound))
)


@jax.tree_util.register_pytree_node_class
@dataclasses.dataclass
class Own:
    weight: jax.Array

    def tree_flatten(self):
        return (self.weight,), None

    @classmethod
    def tree_unflatten(cls, _, leaves):
        return cls(*leaves)


vary("a class of one's own, under jax.jit", "silent", "holds")(
    lambda: (
        whole(lambda depth: [Own(X)] * depth, shrink, jax.jit), 0,
        flat(lambda depth: [Own(X)] * depth),
    )
)  # fmt: skip
vary("dictionaries, under jax.jit", "right", "-")(
    lambda: (whole(lambda depth: [{"weight": X}] * depth, shrink, jax.jit), 0, None)
)


@vary("many steps by one call", "silent", "holds")
def _():
    hundred = lambda step: (
        lambda net: jax.lax.fori_loop(0, 100, lambda _, arrays: step(arrays), net)
    )

    def make(depth):
        leaves = jax.tree.leaves(eqx.filter(Net(depth), eqx.is_array))
        compiled = jax.jit(hundred(lambda leaves: [0.9 * leaf for leaf in leaves]))
        return lambda: compiled(leaves)

    return whole(), 0, per_layer(make)


@vary("the values", "right", "holds")
def _():
    net = Net(2)
    expected = 0.9 * net.layers[0].weight
    leaves, structure = jax.tree.flatten(eqx.filter(net, eqx.is_array))
    step = jax.jit(lambda leaves: [0.9 * leaf for leaf in leaves])
    new = lambda: jax.tree.unflatten(structure, step(leaves)).layers[0].weight
    return lambda: eqx.filter_jit(shrink)(net).layers[0].weight, expected, new
