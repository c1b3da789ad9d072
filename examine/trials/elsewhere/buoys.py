"""`fresh/buoys.py`, for PyMC."""

import numpy as np
import pymc as pm


def model(fetch, depth, height):
    with pm.Model() as found:
        a = pm.Normal("a", 0.0, 1.0)
        b = pm.Normal("b", 0.0, 0.5)
        sigma = pm.HalfNormal("sigma", 0.4)
        mean = a + b * np.log(np.asarray(fetch)) - 0.1 / np.asarray(depth)
        swell = pm.Normal("swell", mean, sigma)
        pm.LogNormal("height", swell, 0.1, observed=np.asarray(height))
    return found
