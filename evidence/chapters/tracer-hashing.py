"""`diffeqsolve` under `jit`: Equinox hands JAX a function that holds tracers, and JAX hashes it.

`ok`: the solution of y' = -k y is exp(-k) to five digits, and JAX says nothing. JAX before 0.4.30
hashes a tracer in silence; Equinox from 0.11.5 no longer asks it to. What JAX does to a function
of your own that holds a tracer is in `hash-own-callable.py`.
"""

import math

import diffrax
import jax
import jax.numpy as jnp

EXPECT = {
    "raises": "TypeError",
    "warns": "FutureWarning",
    "match": "unhashable type.*Tracer|Attempting to hash a tracer",
}
TOLERANCE = 1e-5
expected = math.exp(-2.0)


def solve(k: jax.Array, **options: object) -> jax.Array:
    term = diffrax.ODETerm(lambda t, y, k: -k * y)
    solution = diffrax.diffeqsolve(
        term, diffrax.Tsit5(), 0.0, 1.0, 0.05, jnp.array(1.0), args=k, **options
    )
    return solution.ys[0]


def program() -> jax.Array:
    return jax.jit(solve)(2.0)


def cure() -> jax.Array:
    """Where Equinox cannot be upgraded: an adjoint that does without the function in question."""
    return jax.jit(lambda k: solve(k, adjoint=diffrax.DirectAdjoint()))(2.0)
