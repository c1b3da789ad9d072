"""The slope of the Bessel function `i0` at zero, where its graph is level."""

import jax
import numpy as np

got = np.array([jax.grad(jax.scipy.special.i0)(x) for x in (0.0, 1.0)])
wrong = ~np.isclose(got, [0.0, 0.5651591], rtol=1e-5)  # the second is i1(1), by SciPy
print(wrong.sum(), "of", wrong.size)
