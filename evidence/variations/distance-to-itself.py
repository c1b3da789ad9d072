"""Variations of *A distance of zero makes the gradient NaN*: a gradient, by differences too."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from evidence.variation import vary

POINTS = np.random.default_rng(0).normal(size=(4, 2))
H = 1e-5


def squares(x, np=jnp):
    return ((x[:, None] - x[None]) ** 2).sum(-1)


def energy(root, np=jnp):
    return lambda scale: np.exp(-root(squares(POINTS / scale, np))).sum()


def safe(squares):
    apart = squares > 0
    return jnp.where(apart, jnp.sqrt(jnp.where(apart, squares, 1.0)), 0.0)


def slope(scale=1.3):
    of = energy(np.sqrt, np)
    return (of(scale + H) - of(scale - H)) / (2 * H)


def three(good=safe, bad=jnp.sqrt, way=jax.grad):
    return lambda: way(energy(bad))(1.3), slope, lambda: way(energy(good))(1.3)


def by_norm(x):
    return jnp.linalg.norm(x[:, None] - x[None], axis=-1)


def masked(scale):
    """The diagonal is multiplied by zero after the root."""
    apart = jnp.sqrt(squares(jnp.asarray(POINTS) / scale)) * (1 - jnp.eye(4))
    return jnp.exp(-apart).sum()


def filled(scale):
    apart = jnp.sqrt(squares(jnp.asarray(POINTS) / scale))
    return jnp.exp(-jnp.fill_diagonal(apart, 0.0, inplace=False)).sum()


def triangle(scale):
    """Each pair once, without the diagonal."""
    i, j = np.triu_indices(4, 1)
    x = jnp.asarray(POINTS) / scale
    return 4.0 + 2 * jnp.exp(-jnp.linalg.norm(x[i] - x[j], axis=-1)).sum()


class Kernel(eqx.Module):
    scale: jax.Array

    def __call__(self, root=safe):
        return energy(root)(self.scale)


def in_float64(of):
    def gradient(scale):
        jax.config.update("jax_enable_x64", True)
        try:
            return jax.grad(of)(scale)
        finally:
            jax.config.update("jax_enable_x64", False)

    return gradient


vary("as on the page", "silent", "holds")(lambda: three())
vary("under jit", "silent", "holds")(lambda: three(way=lambda of: jax.jit(jax.grad(of))))
vary("forward mode", "silent", "holds")(lambda: three(way=jax.jacfwd))
vary("a maximum below the root", "silent", "holds")(
    lambda: three(lambda s: jnp.sqrt(jnp.maximum(s, 1e-12)))
)
vary("a small number below the root", "silent", "holds")(
    lambda: three(lambda s: jnp.sqrt(s + 1e-12))
)
vary("the norm; each pair once", "silent", "holds")(
    lambda: (
        lambda: jax.grad(lambda scale: jnp.exp(-by_norm(jnp.asarray(POINTS) / scale)).sum())(1.3),
        slope,
        lambda: jax.grad(triangle)(1.3),
    )
)
vary("under vmap, over scales", "silent", "holds")(
    lambda: (
        lambda: jax.vmap(jax.grad(energy(jnp.sqrt)))(jnp.array([1.3, 1.3])),
        [slope(), slope()],
        lambda: jax.vmap(jax.grad(energy(safe)))(jnp.array([1.3, 1.3])),
    )
)
vary("a module", "silent", "holds")(
    lambda: (
        lambda: eqx.filter_grad(lambda k: k(jnp.sqrt))(Kernel(jnp.array(1.3))).scale,
        slope,
        lambda: eqx.filter_grad(lambda k: k())(Kernel(jnp.array(1.3))).scale,
    )
)
vary("with respect to the points", "silent", "holds")(
    lambda: (
        lambda: jax.grad(lambda x: jnp.exp(-by_norm(x)).sum())(jnp.asarray(POINTS)),
        _by_points,
        lambda: jax.grad(lambda x: jnp.exp(-safe(squares(x))).sum())(jnp.asarray(POINTS)),
    )
)


def _by_points():
    of = lambda x: np.exp(-np.linalg.norm(x[:, None] - x[None], axis=-1)).sum()
    steps = H * np.eye(8).reshape(8, 4, 2)
    return np.reshape([(of(POINTS + e) - of(POINTS - e)) / (2 * H) for e in steps], (4, 2))


@vary("two equal points in a scan", "silent", "holds")
def _():
    pairs = np.float32([[[0, 0], [0, 0]], [[1, 0], [1, 2]]])

    def total(root):
        step = lambda s, pair: (s, root(((pair[0] - pair[1]) ** 2).sum() * s**2))
        return lambda s: lax.scan(step, s, pairs)[1].sum()

    return lambda: jax.grad(total(jnp.sqrt))(1.5), 2.0, lambda: jax.grad(total(safe))(1.5)


vary("no root of a square", "silent", "holds")(
    lambda: (
        lambda: jax.grad(lambda x: jnp.linalg.norm(x) ** 2)(jnp.zeros(2)),
        [0.0, 0.0],
        lambda: jax.grad(lambda x: (x**2).sum())(jnp.zeros(2)),
    )
)
vary("looks right: one where", "silent", "falls")(
    lambda: three(lambda s: jnp.where(s > 0, jnp.sqrt(s), 0.0))
)
vary("looks right: the diagonal times zero", "silent", "falls")(
    lambda: (lambda: jax.grad(energy(jnp.sqrt))(1.3), slope, lambda: jax.grad(masked)(1.3))
)
vary("looks right: fill_diagonal", "silent", "falls")(
    lambda: (lambda: jax.grad(energy(jnp.sqrt))(1.3), slope, lambda: jax.grad(filled)(1.3))
)
BAD = three()[:2]
vary("looks right: nan_to_num", "silent", "falls")(
    lambda: (*BAD, lambda: jnp.nan_to_num(jax.grad(energy(jnp.sqrt))(1.3)))
)
vary("looks right: float64", "silent", "falls")(
    lambda: (*BAD, lambda: in_float64(energy(jnp.sqrt))(1.3))
)
