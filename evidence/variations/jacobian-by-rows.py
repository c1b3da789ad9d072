"""Variations of *A Jacobian takes far more memory than it has entries*: the largest array."""

import math
import re

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from evidence.variation import vary

T = np.linspace(0, 5, 300, dtype=np.float32)
P = np.float32([1.0, 0.5])


def curve(p, t=T):
    return p[0] * jnp.exp(-p[1] * t)


def largest(function, *arguments):
    """How many numbers the largest array of the program has."""

    def count():
        text = jax.jit(function).lower(*arguments).as_text()
        shapes = re.findall(r"tensor<([\dx]+)xf(?:32|64)>", text)
        return max(math.prod(map(int, shape.split("x"))) for shape in shapes)

    return count


SMALL = T.size * P.size
vary("as on the page", "silent", "holds")(
    lambda: (largest(jax.jacrev(curve), P), SMALL, largest(jax.jacfwd(curve), P))
)
vary("jit inside", "silent", "holds")(
    lambda: (
        largest(jax.jacrev(jax.jit(curve)), P), SMALL, largest(jax.jacfwd(jax.jit(curve)), P),
    )
)  # fmt: skip
vary("by the number of the argument", "silent", "holds")(
    lambda: (
        largest(jax.jacrev(lambda t, p: curve(p, t), argnums=1), T, P),
        SMALL,
        largest(jax.jacfwd(lambda t, p: curve(p, t), argnums=1), T, P),
    )
)
vary("Equinox", "silent", "holds")(
    lambda: (
        largest(eqx.filter_jacrev(curve), P), SMALL, largest(eqx.filter_jacfwd(curve), P),
    )
)  # fmt: skip
vary("parameters in a dictionary", "silent", "holds")(
    lambda: (
        largest(jax.jacrev(lambda d: d["a"] * jnp.exp(-d["b"] * T)), {"a": P[0], "b": P[1]}),
        SMALL,
        largest(jax.jacfwd(lambda d: d["a"] * jnp.exp(-d["b"] * T)), {"a": P[0], "b": P[1]}),
    )
)
vary("looks right: a checkpoint", "silent", "falls")(
    lambda: (largest(jax.jacrev(curve), P), SMALL, largest(jax.jacrev(jax.checkpoint(curve)), P))
)
vary("looks right: a custom list of rows", "silent", "falls")(
    lambda: (
        largest(jax.jacrev(curve), P),
        SMALL,
        largest(lambda p: jax.vmap(jax.vjp(curve, p)[1])(jnp.eye(T.size)), P),
    )
)
vary("rows one after the other", "silent", "holds")(
    lambda: (
        largest(jax.jacrev(curve), P),
        SMALL,
        largest(
            lambda p: lax.map(
                lambda i: jax.vjp(curve, p)[1](jnp.zeros(T.size).at[i].set(1.0)), jnp.arange(T.size)
            ),
            P,
        ),
    )
)
vary("few outputs, where jacrev is right", "right", "falls")(
    lambda: (
        largest(jax.jacrev(lambda t: jnp.stack([t.sum(), (t**2).sum()])), T),
        SMALL,
        largest(jax.jacfwd(lambda t: jnp.stack([t.sum(), (t**2).sum()])), T),
    )
)


def energy(w):
    return (jnp.tanh(w[1:] * w[:-1]) ** 2).sum()


def of(hessian):
    return lambda w: hessian(w) @ w


hvp = lambda w: jax.jvp(jax.grad(energy), (w,), (w,))[1]
vary("a Hessian times a vector", "silent", "holds")(
    lambda: (largest(of(jax.hessian(energy)), T), T.size, largest(hvp, T))
)
vary("looks right: Hessian by jacrev of jacrev", "silent", "falls")(
    lambda: (
        largest(of(jax.hessian(energy)), T),
        T.size,
        largest(of(jax.jacrev(jax.jacrev(energy))), T),
    )
)
vary("the gradient of a directional derivative", "silent", "holds")(
    lambda: (
        largest(of(jax.hessian(energy)), T),
        T.size,
        largest(lambda w: jax.grad(lambda v: jax.jvp(energy, (v,), (w,))[1])(w), T),
    )
)
vary("the values", "right", "holds")(
    lambda: (
        lambda: jax.jacrev(curve)(P),
        np.stack([np.exp(-P[1] * T), -P[0] * T * np.exp(-P[1] * T)], -1),
        lambda: jax.jacfwd(curve)(P),
    )
)
vary("the values, a few columns at a time", "right", "holds")(
    lambda: (
        lambda: jax.jacrev(curve)(P),
        jax.jacfwd(curve)(P),
        lambda: lax.map(lambda v: jax.jvp(curve, (P,), (v,))[1], jnp.eye(len(P)), batch_size=8).T,
    )
)
