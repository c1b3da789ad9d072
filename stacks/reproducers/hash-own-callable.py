"""A callable of your own that holds a tracer is the condition of a `lax.while_loop`.

A frozen dataclass hashes its fields, so JAX, which hashes the function, hashes the tracer. `ok`:
doubling 1 until it reaches 100 gives 128, and JAX says nothing.
"""

from dataclasses import dataclass

import jax
from jax import lax

DECIDED_BY = ("jax",)
FAILS = {"TypeError": r"unhashable type.*Tracer"}
WARNS = {"FutureWarning": r"Attempting to hash a tracer"}


@dataclass(frozen=True)
class Below:
    limit: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return x < self.limit


def reproduce() -> str | None:
    x = jax.jit(lambda limit: lax.while_loop(Below(limit), lambda x: 2 * x, 1.0))(100.0)
    return None if x == 128.0 else f"{x}, not 128"


def fix() -> None:
    """Wrap the callable in a `lambda`, which hashes by identity."""

    def doubled(limit: jax.Array) -> jax.Array:
        below = Below(limit)
        return lax.while_loop(lambda x: below(x), lambda x: 2 * x, 1.0)

    assert jax.jit(doubled)(100.0) == 128.0


if __name__ == "__main__":
    from _run import show

    show(__file__)
