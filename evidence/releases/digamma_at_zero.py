"""The slope of log gamma at zero, which SciPy has as minus infinity."""

import numpy as np
from jax.scipy.special import digamma

wrong = np.array([digamma(np.float32(0.0))]) != -np.inf
print(wrong.sum(), "of", wrong.size)
