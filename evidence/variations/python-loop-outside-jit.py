"""Variations of *A Python loop of small JAX operations*: how many operations are handed over."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from evidence.variation import vary

STATE = np.float32([0.99, 0.01])


def day(state, _=None):
    new = 0.3 * state[0] * state[1]
    change = jnp.array([-1.0, 1.0]) * new - jnp.array([0.0, 0.1]) * state
    return state + change, None


def looped(state, days=50, step=day):
    for _ in range(days):
        state, _ = step(state)
    return state


def scanned(state, days=50):
    return lax.scan(day, state, length=days)[0]


def handed(function, *arguments):
    """Count operations outside of jit; those that a user's jit holds count as one."""
    return lambda: len(jax.make_jaxpr(function)(*arguments).eqns)


class Epidemic:
    def __init__(self, days):
        self.days = days

    def run(self, state):
        return looped(state, self.days)

    @functools.partial(jax.jit, static_argnums=0)
    def compiled(self, state):
        return scanned(state, self.days)


def three(bad, good, *arguments):
    return handed(bad, *arguments), 1, handed(good, *arguments)


rows = np.ones((20, 3), np.float32)
vary("as on the page", "silent", "holds")(lambda: three(looped, jax.jit(scanned), STATE))
vary("a loop inside of jit", "silent", "holds")(lambda: three(looped, jax.jit(looped), STATE))
vary("fori_loop", "silent", "holds")(
    lambda: three(looped, jax.jit(lambda x: lax.fori_loop(0, 50, lambda i, x: day(x)[0], x)), STATE)
)
vary("in a class", "silent", "holds")(lambda: three(Epidemic(30).run, Epidemic(30).compiled, STATE))
vary("Python's sum over an array", "silent", "holds")(lambda: three(sum, jnp.sum, STATE))
vary("a comprehension over rows", "silent", "holds")(
    lambda: three(
        lambda x: jnp.stack([jnp.sin(row) for row in x]), jax.jit(lambda x: jnp.sin(x)), rows
    )
)
vary("a scan without jit is one operation", "right", "holds")(
    lambda: three(lambda x: lax.scan(day, x, length=50)[0], jax.jit(scanned), STATE)
)
vary("looks right: jit around the step alone", "silent", "falls")(
    lambda: (
        handed(looped, STATE),
        1,
        handed(functools.partial(looped, step=jax.jit(day)), STATE),
    )
)
