"""The sum of squares of a small matrix times a row, for each of 20,000 rows, compiled."""

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)
matrix = np.random.default_rng(0).normal(size=(3, 3))
rows = np.random.default_rng(1).normal(size=(20_000, 3))


def of_row(row):
    return jnp.sum((jnp.asarray(matrix) @ row) ** 2)


got = np.asarray(jax.jit(jax.vmap(of_row))(rows))
expected = ((rows @ matrix.T) ** 2).sum(axis=1)
wrong = ~np.isclose(got, expected, rtol=1e-3)
print(wrong.sum(), "of", wrong.size)
