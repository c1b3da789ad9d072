"""Variations of *A training step holds the old weights and the new ones*: arrays held at once."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from evidence.variation import vary

X = np.ones((2, 200), np.float32)


def start(names=("weights", "mean"), dtype=jnp.float32):
    return {name: jnp.ones((200, 200), dtype) for name in names}


def loss(weights, x):
    return (jnp.tanh(x @ weights) ** 2).mean()


def momentum(state, x):
    mean = 0.9 * state["mean"] + jax.grad(loss)(state["weights"], x)
    return {"weights": state["weights"] - 0.1 * mean, "mean": mean}


def plain(state, x):
    return {"weights": state["weights"] - 0.1 * jax.grad(loss)(state["weights"], x)}


def held(step, *arguments, one=200 * 200 * 4):
    """How many arrays of the size of the weights a step needs."""

    def count():
        compiled = step.lower(*arguments).compile()
        memory = getattr(compiled, "compiled", compiled).memory_analysis()
        needed = memory.argument_size_in_bytes + memory.output_size_in_bytes
        return (needed - memory.alias_size_in_bytes + memory.temp_size_in_bytes) // one

    return count


def of(step, state, expected, **named):
    return lambda: (
        held(jax.jit(step), state, X), expected,
        held(jax.jit(step, **(named or {"donate_argnums": 0})), state, X),
    )  # fmt: skip


vary("as on the page, with momentum", "silent", "holds")(of(momentum, start(), 3))
vary("by name", "silent", "holds")(of(momentum, start(), 3, donate_argnames="state"))
vary("as a tuple of numbers", "silent", "holds")(of(momentum, start(), 3, donate_argnums=(0,)))
vary("plain gradient descent, where the gradient is the room", "right", "holds")(
    of(plain, start(["weights"]), 2)
)
vary("looks right: the batch", "silent", "falls")(of(momentum, start(), 3, donate_argnums=1))
vary("looks right: an inner jit", "silent", "falls")(
    lambda: (
        held(jax.jit(momentum), start(), X), 3,
        held(jax.jit(lambda s, x: jax.jit(momentum, donate_argnums=0)(s, x)), start(), X),
    )
)  # fmt: skip
vary("positional, for a function with the batch first", "silent", "holds")(
    lambda: (
        held(jax.jit(lambda x, s: momentum(s, x)), X, start()), 3,
        held(jax.jit(lambda x, s: momentum(s, x), donate_argnums=1), X, start()),
    )
)  # fmt: skip
vary("Equinox, all but the first", "silent", "holds")(
    lambda: (
        held(eqx.filter_jit(lambda x, s: momentum(s, x)), X, start()), 3,
        held(
            eqx.filter_jit(lambda x, s: momentum(s, x), donate="all-except-first"), X, start()
        ),
    )
)  # fmt: skip
vary("an update of one array", "silent", "holds")(
    lambda: (
        held(jax.jit(lambda w: 0.9 * w), start()["mean"]), 1,
        held(jax.jit(lambda w: 0.9 * w, donate_argnums=0), start()["mean"]),
    )
)  # fmt: skip


@vary("the values", "right", "holds")
def _():
    expected = momentum(start(), X)["mean"]
    lean = jax.jit(momentum, donate_argnums=0)
    return lambda: jax.jit(momentum)(start(), X)["mean"], expected, lambda: lean(start(), X)["mean"]
