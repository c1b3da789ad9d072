"""The log density of chi2 with two degrees of freedom at zero, where it is finite."""

import numpy as np
from jax.scipy import stats

got = np.array([stats.chi2.logpdf(0.0, 2.0, 0.0, scale) for scale in (1.0, 2.0)])
wrong = ~np.isclose(got, [-np.log(2), -np.log(4)], rtol=1e-5)
print(wrong.sum(), "of", wrong.size)
