"""The gradient of a mean of products over a million rows, compiled."""

import jax
import jax.numpy as jnp
import numpy as np

weights = np.array([1, 2, 3], np.float32)
rows = np.ones((1_000_000, 3), np.float32)


def of_row(x, row):
    away = row - x
    return away @ weights + (away @ jnp.zeros((3, 3))) @ away


def loss(x):
    return jnp.mean(jax.vmap(lambda row: of_row(x, row))(rows))


got = np.asarray(jax.jit(jax.grad(loss))(jnp.ones(3)), np.float64)
expected = -weights.astype(np.float64)  # the second product is zero for every x
wrong = ~np.isclose(got, expected, rtol=1e-3)
print(wrong.sum(), "of", wrong.size)
