"""The power of a matrix of flags, which NumPy computes by *and* and *or*."""

import jax.numpy as jnp
import numpy as np

flags = np.array([[True, True], [False, True]])
got = np.asarray(jnp.linalg.matrix_power(jnp.asarray(flags), 3))
wrong = got != np.linalg.matrix_power(flags, 3)
print(wrong.sum(), "of", wrong.size)
