"""The arc tangent of complex numbers, some of them large, and on both sides of its cut."""

import jax.numpy as jnp
import numpy as np

numbers = np.array([1e20j, -2j, 3 - 4500j, 1e10 + 1e10j, 0.5 - 0.5j], np.complex64)
got, expected = np.asarray(jnp.arctan(numbers)), np.arctan(numbers.astype(complex))
wrong = ~np.isclose(got, expected, rtol=1e-3)
print(wrong.sum(), "of", wrong.size)
