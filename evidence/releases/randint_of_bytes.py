"""Draws of integers of 8 bits: how often each of a hundred comes, which varies by chance alone."""

import jax
import jax.numpy as jnp
import numpy as np

draws = jax.random.randint(jax.random.PRNGKey(0), (100_000,), 0, 100, dtype=jnp.uint8)
counts = np.bincount(np.asarray(draws), minlength=100)
wrong = abs(counts - 1000) > 5 * np.sqrt(1000)  # five standard deviations
print(wrong.sum(), "of", wrong.size)
