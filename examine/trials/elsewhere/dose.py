"""`fresh/dose.py`, for PyMC."""

import numpy as np
import pymc as pm
import pytensor.tensor as pt


def model(dose, cells):
    with pm.Model() as found:
        top = pm.LogNormal("top", 1.0, 0.3)
        power = pm.LogNormal("power", 0.0, 0.4)
        half = pm.LogNormal("half", 0.0, 0.5)
        dose = np.asarray(dose)
        ratio = pt.switch(dose > 0, pt.exp(power * pt.log(dose / half)), 0.0)
        sigma = pm.HalfNormal("sigma", 0.5)
        pm.Normal("cells", top * ratio / (1 + ratio), sigma, observed=np.asarray(cells))
    return found
