"""A running total of flags, by an `or`: the sum with `dtype=bool`."""

import jax.numpy as jnp
import numpy as np

numbers = np.array([-1, 1, 0, 2, -2])
got = np.asarray(jnp.cumsum(jnp.asarray(numbers), dtype=bool))
wrong = got != np.cumsum(numbers, dtype=bool)
print(wrong.sum(), "of", wrong.size)
