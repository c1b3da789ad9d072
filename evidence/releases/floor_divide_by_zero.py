"""Whole parts of numbers over zero, which NumPy has as infinite."""

import jax.numpy as jnp
import numpy as np

numbers = np.float32([1, -1, 2.5, np.inf, 0])
with np.errstate(all="ignore"):
    expected = np.floor_divide(numbers, np.float32(0))
got = np.asarray(jnp.floor_divide(numbers, np.float32(0)))
wrong = ~np.isclose(got, expected, equal_nan=True)
print(wrong.sum(), "of", wrong.size)
