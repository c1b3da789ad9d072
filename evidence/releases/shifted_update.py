"""Each row of an array is moved down by one, and the result gets another shape, compiled."""

import jax
import numpy as np

rows = np.arange(24, dtype=np.float32).reshape(8, 3)


def shift(rows):
    rows = 2 * rows
    return rows.at[1:].set(rows[:-1]).reshape(1, 8, 3)


got = np.asarray(jax.jit(shift)(rows)[0], np.float64)
expected = 2 * np.concatenate([rows[:1], rows[:-1]]).astype(np.float64)
wrong = ~np.isclose(got, expected, rtol=1e-3)
print(wrong.sum(), "of", wrong.size)
