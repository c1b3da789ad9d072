"""Variations of *The gradient of a scan runs out of memory*: numbers kept for each step."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from evidence.variation import vary

N = 50
WIDE = np.random.default_rng(0).normal(size=(32, 4)).astype(np.float32)
NET = {"wide": WIDE, "narrow": WIDE.T / 32}
START = np.ones(4, np.float32)


def step(state, net):
    return state + 0.01 * net["narrow"] @ jnp.tanh(net["wide"] @ state)


def loss(step=step, around=lambda run: run, loop=None):
    def of(net):
        run = lambda state: lax.scan(lambda s, _: (step(s, net), None), state, length=N)[0]
        run = loop(net) if loop else run
        return (around(run)(START) ** 2).sum()

    return of


def kept(of, net=NET):
    """Numbers kept for each of the steps."""

    def count():
        leaves = jax.tree.leaves(jax.vjp(of, net)[1])
        return sum(leaf[0].size for leaf in leaves if leaf.ndim and len(leaf) == N)

    return count


def fori(step):
    return lambda net: lambda state: lax.fori_loop(0, N, lambda _, s: step(s, net), state)


cheap = jax.checkpoint(step)
vary("as on the page", "silent", "holds")(lambda: (kept(loss()), 4, kept(loss(cheap))))
vary("under jit", "silent", "holds")(lambda: (kept(jax.jit(loss())), 4, kept(jax.jit(loss(cheap)))))
vary("a fori_loop", "silent", "holds")(
    lambda: (kept(loss(loop=fori(step))), 4, kept(loss(loop=fori(cheap))))
)
vary("remat, its other name", "silent", "holds")(
    lambda: (kept(loss()), 4, kept(loss(jax.remat(step))))
)
vary("eqx.filter_checkpoint", "silent", "holds")(
    lambda: (kept(loss()), 4, kept(loss(eqx.filter_checkpoint(step))))
)


@vary("a policy that saves nothing", "silent", "holds")
def _():
    policy = jax.checkpoint_policies.nothing_saveable
    return kept(loss()), 4, kept(loss(jax.checkpoint(step, policy=policy)))


@vary("looks right: a policy that saves products", "silent", "falls")
def _():
    policy = jax.checkpoint_policies.dots_saveable
    return kept(loss()), 4, kept(loss(jax.checkpoint(step, policy=policy)))


def _again(around):
    """The bytes that the compiled gradient needs, in states of all steps, at most ten."""

    def count():
        compiled = jax.jit(jax.grad(around)).lower(NET).compile()
        states = compiled.memory_analysis().temp_size_in_bytes / (4 * START.size * N)
        return states < 8

    return count


vary("bytes of the compiled gradient", "silent", "holds")(
    lambda: (_again(loss()), True, _again(loss(cheap)))
)
vary("looks right: a checkpoint around the whole", "silent", "falls")(
    lambda: (_again(loss()), True, _again(jax.checkpoint(loss())))
)


@vary("blocks, with fewer states", "silent", "holds")
def _():
    def in_blocks(net):
        inner = lambda s, _: (step(s, net), None)
        block = jax.checkpoint(lambda s: lax.scan(inner, s, length=10)[0])
        return (lax.scan(lambda s, _: (block(s), None), START, length=5)[0] ** 2).sum()

    return kept(loss()), 0, kept(in_blocks)


@vary("forward mode, with the gradient", "right", "holds")
def _():
    expected = jax.grad(loss())(NET)["wide"]
    return (
        lambda: jax.jacfwd(loss())(NET)["wide"],
        expected,
        lambda: jax.grad(loss(cheap))(NET)["wide"],
    )
