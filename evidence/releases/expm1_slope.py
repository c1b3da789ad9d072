"""The derivative of expm1 at large negative numbers, which is the exponential."""

import jax
import jax.numpy as jnp
import numpy as np

at = np.arange(-20.0, -17.0, dtype=np.float32)
got = np.array([jax.grad(jnp.expm1)(x) for x in at])
wrong = ~np.isclose(got, np.exp(at.astype(float)), rtol=1e-3, atol=0)
print(wrong.sum(), "of", wrong.size)
