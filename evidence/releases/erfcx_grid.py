"""The scaled complementary error function from 0 to 50, which falls from 1 to 0.011."""

import numpy as np
from jax.scipy.special import erfcx
from scipy import special

numbers = np.linspace(0.0, 50.0, 501, dtype=np.float32)
wrong = ~np.isclose(np.asarray(erfcx(numbers)), special.erfcx(numbers), rtol=1e-3)
print(wrong.sum(), "of", wrong.size)
