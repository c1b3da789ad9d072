"""Quantiles of a discrete uniform distribution. Exits 1 while they lie between its values."""

import sys

import numpy as np
from scipy import stats

import numpyro
import numpyro.distributions as dist

q = (np.arange(60) + 0.5) / 60
quantiles = np.asarray(dist.DiscreteUniform(1, 6).icdf(q))
expected = stats.randint(1, 7).ppf(q)
print("numpyro", numpyro.__version__)
print("the three smallest:", quantiles[:3].round(2), "by SciPy:", expected[:3])
print("mean:", quantiles.mean().round(2), "by SciPy:", expected.mean())
sys.exit(int(not np.array_equal(quantiles, expected)))
