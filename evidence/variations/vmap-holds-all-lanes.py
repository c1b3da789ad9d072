"""Variations of *A vmap over many inputs runs out of memory*: the largest array of a program."""

import math
import re

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from evidence.variation import vary

LANES, BATCH, M = 60, 10, 100
X = np.random.default_rng(0).normal(size=(LANES, 3)).astype(np.float32)
OTHERS = np.random.default_rng(1).normal(size=(M, 3)).astype(np.float32)


def largest(function, *arguments):
    def count():
        text = jax.jit(function).lower(*(arguments or (X,))).as_text()
        shapes = re.findall(r"tensor<([\dx]+)x[a-z]+\d+>", text)
        return max(math.prod(map(int, shape.split("x"))) for shape in shapes)

    return count


def middle(x):
    return jnp.median(jnp.sqrt(((OTHERS - x) ** 2).sum(-1)))


def batched(function, size=BATCH):
    return lambda xs: lax.map(function, xs, batch_size=size)


def reshaped(function):
    def run(xs):
        groups = jax.tree.map(lambda x: x.reshape(-1, BATCH, *x.shape[1:]), xs)
        return lax.map(jax.vmap(function), groups).reshape(LANES)

    return run


def three(function, good=None):
    return largest(jax.vmap(function)), BATCH * M * 3, largest(good or batched(function))


def written(x):
    return jnp.zeros((M, 3)).at[(jnp.abs(x[0]) * 3).astype(int)].set(x).std()


def factor(x):
    return jnp.linalg.cholesky(jnp.eye(M) + x[0] ** 2 * jnp.ones((M, M))).sum()


vary("as on the page", "silent", "holds")(lambda: three(middle))
vary("a reshape, as before 0.4.31", "silent", "holds")(lambda: three(middle, reshaped(middle)))
vary("a write in each lane", "silent", "holds")(lambda: three(written))
vary("a factor of a matrix", "silent", "holds")(
    lambda: (
        largest(jax.vmap(factor)),
        BATCH * M * M,
        largest(batched(factor)),
    )
)
vary("one lane at a time", "silent", "holds")(
    lambda: (largest(jax.vmap(middle)), M * 3, largest(lambda xs: lax.map(middle, xs)))
)
vary("two vmaps", "silent", "holds")(
    lambda: (
        largest(jax.vmap(lambda x: jax.vmap(lambda y: jnp.sort(x * y).sum())(OTHERS).sum())),
        BATCH * M * 3,
        largest(batched(lambda x: jax.vmap(lambda y: jnp.sort(x * y).sum())(OTHERS).sum())),
    )
)


@vary("a batch that does not divide the lanes; the values", "right", "holds")
def _():
    expected = [np.median(np.linalg.norm(OTHERS - x, axis=-1)) for x in X]
    return lambda: jax.vmap(middle)(X), expected, lambda: batched(middle, 7)(X)


vary("looks right: a checkpoint", "silent", "falls")(
    lambda: three(middle, jax.vmap(jax.checkpoint(middle)))
)
vary("looks right: lax.map inside of a vmap", "silent", "falls")(
    lambda: (
        largest(jax.vmap(lambda xs: jax.vmap(middle)(xs)), X[None]),
        BATCH * M * 3,
        largest(jax.vmap(lambda x: lax.map(middle, x[None])[0])),
    )
)


def _kept(function):
    """Numbers that are kept for the gradient."""
    of = lambda scale: function(scale).sum()

    def count():
        return max(np.size(leaf) for leaf in jax.tree.leaves(jax.vjp(of, 1.0)[1]))

    return count


@vary("looks right: a gradient of lax.map", "silent", "falls")
def _():
    of = lambda scale: lambda x: jnp.sort(jnp.sin(scale * OTHERS - x), 0).sum()
    every = lambda scale: jax.vmap(of(scale))(X)
    return _kept(every), BATCH * M * 3, _kept(lambda scale: batched(of(scale))(X))


@vary("a gradient, with a checkpoint", "silent", "holds")
def _():
    of = lambda scale: lambda x: jnp.sort(jnp.sin(scale * OTHERS - x), 0).sum()
    every = lambda scale: jax.vmap(of(scale))(X)
    cheap = lambda scale: batched(jax.checkpoint(of(scale)))(X)
    return lambda: _kept(every)() > 1000, False, lambda: _kept(cheap)() > 1000
