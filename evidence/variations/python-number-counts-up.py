"""Variations of *A Python number in a module counts up*: how often a step is traced."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from evidence.variation import vary


class Decay(eqx.Module):
    weights: jax.Array
    steps: int | float | jax.Array

    def stepped(self):
        return Decay(self.weights * (1.0 - 0.1 / (1.0 + self.steps)), self.steps + 1)


class Fixed(eqx.Module):
    weights: jax.Array
    steps: int = eqx.field(static=True)

    def stepped(self):
        return Fixed(self.weights * 0.9, self.steps + 1)


def traces(start, jit=eqx.filter_jit, n=5):
    """How many times a step is traced in `n` steps."""
    found = []

    def step(module):
        found.append(None)
        return module.stepped()

    compiled = jit(step)
    for _ in range(n):
        start = compiled(start)
    return len(found)


def calls(numbers, jit=eqx.filter_jit, keyword=False):
    """How many times a function is traced for these arguments."""
    found = []

    def scale(x, i):
        found.append(None)
        return x / (1 + i)

    compiled = jit(scale)
    for i in numbers:
        compiled(jnp.ones(3), **{"i": i}) if keyword else compiled(jnp.ones(3), i)
    return len(found)


ones = jnp.ones(3)
array = Decay(ones, jnp.asarray(0))
INTS = range(5)

vary("as on the page", "silent", "holds")(
    lambda: (lambda: traces(Decay(ones, 0)), 1, lambda: traces(array))
)
vary("a float", "silent", "holds")(
    lambda: (lambda: traces(Decay(ones, 0.0)), 1, lambda: traces(Decay(ones, jnp.asarray(0.0))))
)
vary("a static field", "silent", "holds")(
    lambda: (lambda: traces(Fixed(ones, 0)), 1, lambda: traces(array))
)
vary("an argument", "silent", "holds")(
    lambda: (lambda: calls(INTS), 1, lambda: calls(map(jnp.asarray, INTS)))
)
vary("an argument by keyword", "silent", "holds")(
    lambda: (lambda: calls(INTS, keyword=True), 1, lambda: calls(map(jnp.asarray, INTS)))
)
vary("an argument of jax.jit is data", "right", "holds")(
    lambda: (lambda: calls(INTS, jax.jit), 1, lambda: calls(INTS, jax.jit))
)
vary("the cure is a NumPy array", "silent", "holds")(
    lambda: (lambda: calls(INTS), 1, lambda: calls(map(np.asarray, INTS)))
)
vary("the cure is NumPy's int32", "silent", "holds")(
    lambda: (lambda: calls(INTS), 1, lambda: calls(map(np.int32, INTS)))
)


@vary("a step size in a dict that shrinks", "silent", "holds")
def _():
    def run(size):
        found = []

        @eqx.filter_jit
        def step(state):
            found.append(None)
            return {"x": state["x"] * (1 - state["size"]), "size": state["size"] * 0.9}

        state = {"x": jnp.ones(2), "size": size}
        for _ in range(4):
            state = step(state)
        return len(found)

    return lambda: run(0.1), 1, lambda: run(jnp.asarray(0.1))


def _length(made):
    found = []

    @eqx.filter_jit
    def window(x, n):
        found.append(None)
        return jnp.cumsum(x * jnp.arange(n).sum())

    def run(numbers):
        found.clear()
        for n in numbers:
            window(jnp.ones(3), n)
        return len(found)

    return lambda: run(INTS), 1, lambda: run(map(made, INTS))


vary("looks right: a number that sets a size", "silent", "ConcretizationTypeError")(
    lambda: _length(jnp.asarray)
)
