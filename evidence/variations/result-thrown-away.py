"""Variations of *An update changes nothing*: an array, a list or a module, by NumPy or by hand."""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax

from evidence.variation import vary

X = np.arange(3.0)


@dataclasses.dataclass
class State:
    count: int = 0


class Gain(eqx.Module):
    gain: jax.Array


def after(change, start=X):
    """Return what a value is after a change whose result is dropped, and after one that is kept."""

    def dropped():
        x = jnp.asarray(start)
        change(x)
        return x

    return dropped, lambda: change(jnp.asarray(start))


def three(change, expected, start=X):
    def program():
        dropped, kept = after(change, start)
        return dropped, expected, kept

    return program


vary("set", "silent", "holds")(three(lambda x: x.at[0].set(5.0), [5, 1, 2]))
vary("add, in a mask", "silent", "holds")(three(lambda x: x.at[x > 0].add(1.0), [0, 2, 3]))
vary("a row of a table", "silent", "holds")(
    three(lambda x: x.at[0].set(9.0), [[9, 9], [2, 3]], np.arange(4.0).reshape(2, 2))
)
vary("inside of jit", "silent", "holds")(three(jax.jit(lambda x: x.at[0].set(5.0)), [5, 1, 2]))
vary("sort returns, too", "silent", "holds")(three(lambda x: x.sort(), [1, 2, 3], [3.0, 1.0, 2.0]))
vary("jnp.fill_diagonal, which raises", "NotImplementedError", "holds")(
    lambda: (
        lambda: jnp.fill_diagonal(jnp.zeros((2, 2)), 1.0),
        np.eye(2),
        lambda: jnp.fill_diagonal(jnp.zeros((2, 2)), 1.0, inplace=False),
    )
)


def looped(keep):
    def program():
        weights = [jnp.ones(2), jnp.ones(())]
        for weight in weights:
            weight -= 0.5
        return weights[0] if not keep else weights[0] - 0.5

    return program


vary("a loop with -=", "silent", "holds")(lambda: (looped(False), [0.5, 0.5], looped(True)))


def in_place(array):
    def program():
        weights = [array(2)]
        for weight in weights:
            weight -= 0.5
        return weights[0]

    return program


vary("the same loop over NumPy arrays", "right", "-")(lambda: (in_place(np.ones), [0.5, 0.5], None))
vary("an element by its index", "right", "-")(
    lambda: (lambda: [w := [jnp.ones(2)], w.__setitem__(0, w[0] - 0.5)][0][0], [0.5, 0.5], None)
)


def module(keep):
    def program():
        model = Gain(jnp.ones(2))
        new = eqx.tree_at(lambda m: m.gain, model, jnp.zeros(2))
        return (new if keep else model).gain

    return program


vary("tree_at", "silent", "holds")(lambda: (module(False), [0, 0], module(True)))


def quiet(keep):
    def program():
        model = eqx.nn.Dropout(0.5)
        change = getattr(eqx.nn, "inference_mode", None) or eqx.tree_inference
        new = change(model, True)
        return (new if keep else model)(jnp.ones(8), key=jax.random.PRNGKey(0))

    return program


vary("inference_mode", "silent", "holds")(lambda: (quiet(False), np.ones(8), quiet(True)))
vary("apply_updates", "silent", "holds")(
    three(lambda x: optax.apply_updates(x, -jnp.ones(3)), X - 1)
)
vary("replace", "silent", "holds")(
    lambda: (
        lambda: [state := State(), dataclasses.replace(state, count=1)][0].count,
        1,
        lambda: dataclasses.replace(State(), count=1).count,
    )
)
vary("looks like a cure: block_until_ready", "silent", "falls")(
    lambda: (
        after(lambda x: x.at[0].set(5.0))[0],
        [5, 1, 2],
        after(lambda x: x.at[0].set(5.0).block_until_ready())[0],
    )
)
