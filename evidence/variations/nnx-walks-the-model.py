"""Variations of `nnx-walks-the-model`."""

import sys

import jax
import jax.numpy as jnp
from flax import nnx

from evidence.variation import vary


class Net(nnx.Module):
    def __init__(self, depth, make):
        self.layers = nnx.List([make(n) for n in range(depth)])

    def __call__(self, x):
        for layer in self.layers:
            x = jnp.tanh(layer(x))
        return x


def linear(n):
    return nnx.Linear(4, 4, rngs=nnx.Rngs(n))


def calls(step):
    seen = []
    sys.setprofile(
        lambda frame, event, _: (
            seen.append(event)
            if event == "call" and "/flax/nnx/" in frame.f_code.co_filename
            else None
        )
    )
    step()
    sys.setprofile(None)
    return len(seen)


def growth(make_step, make=linear, shape=(4,)):
    counts = []
    for depth in (10, 20):
        step = make_step(Net(depth, make), jnp.ones(shape))
        step()
        counts.append(calls(step))
    return (counts[1] - counts[0]) / 10


def arrays(make=linear):
    return float(len(jax.tree.leaves(nnx.state(make(0)))))


def by_nnx(function):
    def make_step(net, x):
        compiled = nnx.jit(function)
        return lambda: compiled(net, x)

    return make_step


def by_jax(function):
    def make_step(net, x):
        graph, state = nnx.split(net)
        compiled = jax.jit(lambda state, x: function(nnx.merge(graph, state), x))
        return lambda: compiled(state, x)

    return make_step


@vary(
    "a gradient, in the training step: what comes back is put into NNX's classes", "silent", "falls"
)
def gradient():
    def loss(net, x):
        return jnp.sum(net(x) ** 2)

    return (
        growth(by_nnx(lambda net, x: nnx.grad(loss)(net, x))),
        2 * arrays(),  # go in, come out
        growth(by_jax(lambda net, x: nnx.state(nnx.grad(loss)(net, x)))),
    )


@vary("layers without a bias", "silent", "holds")
def without_bias():
    def make(n):
        return nnx.Linear(4, 4, use_bias=False, rngs=nnx.Rngs(n))

    return growth(by_nnx(Net.__call__), make), arrays(make), growth(by_jax(Net.__call__), make)


@vary("as a decorator, on a batch", "silent", "holds")
def decorator():
    @nnx.jit
    def forward(net, x):
        return net(x)

    got = growth(lambda net, x: lambda: forward(net, x), shape=(8, 4))
    return got, arrays(), growth(by_jax(Net.__call__), shape=(8, 4))


class Changes(nnx.Module):
    """A model that each call changes: its key, and a running mean."""

    def __init__(self):
        self.mean = nnx.BatchNorm(4, rngs=nnx.Rngs(0))
        self.mask = nnx.Dropout(0.5, rngs=nnx.Rngs(1))

    def __call__(self, x):
        return self.mask(self.mean(x))


def changed(make):
    net, x = Changes(), jnp.arange(12.0).reshape(3, 4)
    run = make(net)
    run(x)
    answer = run(x)
    return jnp.concatenate([answer.ravel(), net.mean.mean[...]])


def eager(net):
    return net


def kept_by_nnx(net):
    compiled = nnx.jit(Changes.__call__)
    return lambda x: compiled(net, x)


def split_once(net):
    graph, state = nnx.split(net)
    compiled = jax.jit(lambda state, x: nnx.merge(graph, state)(x))
    return lambda x: compiled(state, x)


def state_returned(net):
    graph, state = nnx.split(net)

    @jax.jit
    def call(state, x):
        net = nnx.merge(graph, state)
        return net(x), nnx.state(net)

    def run(x):
        nonlocal state
        answer, state = call(state, x)
        nnx.update(net, state)
        return answer

    return run


vary("a dropout and a running mean: the answer alone is returned", "right", "falls")(
    lambda: (changed(kept_by_nnx), changed(eager), changed(split_once))
)
vary("a dropout and a running mean: the state is returned", "right", "holds")(
    lambda: (changed(kept_by_nnx), changed(eager), changed(state_returned))
)
