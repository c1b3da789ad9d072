"""Densities and probabilities of NaN, which are NaN in SciPy."""

import numpy as np
from jax.scipy import stats

got = [stats.uniform.pdf(np.nan), stats.uniform.logpdf(np.nan), stats.truncnorm.cdf(np.nan, -1, 2)]
wrong = ~np.isnan(np.array(got))
print(wrong.sum(), "of", wrong.size)
