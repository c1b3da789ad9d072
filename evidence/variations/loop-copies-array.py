"""Variations of *A loop that moves entries copies the whole array*: copies in the program."""

import re

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from evidence.variation import vary

X = np.arange(5000, dtype=np.float32)
AT = np.random.default_rng(2).integers(1, X.size - 60, 8)


def swap(x, i):
    left, right = x[i - 1], x[i]
    return x.at[i - 1].set(right).at[i].set(left), None


def at_once(x, i):
    pair = jnp.stack([i - 1, i])
    return x.at[pair].set(x[pair[::-1]]), None


def copies(step, loop=lax.scan, x=X, at=AT, **options):
    """How often the compiled program copies an array of this size."""

    def count():
        run = lambda x: loop(step, x, at)
        text = jax.jit(run, **options).lower(x).compile().as_text()
        return len(re.findall(rf"\w+\[{','.join(map(str, x.shape))}\]\S* copy\(", text))

    return count


def fori(step, x, at):
    return lax.fori_loop(0, len(at), lambda n, x: step(x, jnp.asarray(at)[n])[0], x)


def while_(step, x, at):
    go = lambda state: state[0] < len(at)
    on = lambda state: (state[0] + 1, step(state[1], jnp.asarray(at)[state[0]])[0])
    return lax.while_loop(go, on, (0, x))[1]


vary("as on the page", "silent", "holds")(lambda: (copies(swap), 1, copies(at_once)))
vary("a fori_loop", "silent", "holds")(lambda: (copies(swap, fori), 1, copies(at_once, fori)))
vary("a while_loop", "silent", "holds")(lambda: (copies(swap, while_), 1, copies(at_once, while_)))
vary("integers", "silent", "holds")(
    lambda: (copies(swap, x=X.astype(int)), 1, copies(at_once, x=X.astype(int)))
)
vary("rows of a matrix", "silent", "holds")(
    lambda: (copies(swap, x=X.reshape(500, 10), at=AT // 10 + 1), 1,
             copies(at_once, x=X.reshape(500, 10), at=AT // 10 + 1))
)  # fmt: skip
vary("looks right: donate", "silent", "falls")(
    lambda: (copies(swap), 1, copies(swap, donate_argnums=0))
)
vary("looks right: jit around the step", "silent", "falls")(
    lambda: (copies(swap), 1, copies(jax.jit(swap)))
)
vary("one read, one write", "right", "holds")(
    lambda: (copies(lambda x, i: (x.at[i].set(x[i - 1] + 1), None)), 1,
             copies(lambda x, i: (x.at[i].set(1.0), None)))
)  # fmt: skip


def pop(x, i, fix=lambda reads: reads):
    value, behind = x[i], lax.dynamic_slice(x, (i + 1,), (50,))
    value, behind, x = fix((value, behind, x))
    return lax.dynamic_update_slice(x, behind, (i,)), value


@vary("taken out, with a barrier", "silent", "holds", then=("silent", "AttributeError"))
def _():
    ordered = lambda x, i: pop(x, i, lax.optimization_barrier)
    return copies(pop), 1, copies(ordered)


@vary("a barrier for the swap", "silent", "holds", then=("silent", "AttributeError"))
def _():
    def ordered(x, i):
        left, right, x = lax.optimization_barrier((x[i - 1], x[i], x))
        return x.at[i - 1].set(right).at[i].set(left), None

    return copies(swap), 1, copies(ordered)


@vary("the values", "right", "holds")
def _():
    x = X.copy()
    for i in AT:
        x[[i - 1, i]] = x[[i, i - 1]]
    return lambda: lax.scan(swap, X, AT)[0], x, lambda: lax.scan(at_once, X, AT)[0]
