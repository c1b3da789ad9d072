"""`fresh/lakes.py`, for PyMC; the loop over years is one of Python."""

import numpy as np
import pymc as pm
import pytensor.tensor as pt


def model(inflow, phosphorus):
    with pm.Model() as found:
        gain = pm.LogNormal("gain", 0.0, 0.3)
        sigma = pm.HalfNormal("sigma", 0.4)
        level, levels = 0.0, []
        for water in np.asarray(inflow):
            level = 0.7 * level + gain * water
            levels.append(level)
        mean = pt.stack(levels)[:, None]
        pm.LogNormal("phosphorus", mean, sigma, observed=np.asarray(phosphorus))
    return found
