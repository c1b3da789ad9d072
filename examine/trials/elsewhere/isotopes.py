"""`fresh/isotopes.py`, for PyMC."""

import numpy as np
import pymc as pm
import pytensor.tensor as pt


def model(sites, ratio):
    sites = np.asarray(sites)
    with pm.Model() as found:
        variance = pm.HalfNormal("variance", 1.0)
        scales = pm.LogNormal("scales", 0.0, 0.5, shape=2)
        noise = pm.HalfNormal("noise", 0.5)
        mean = pm.Normal("mean", 0.0, 2.0)
        apart = (sites[:, None] - sites[None]) / scales
        far = pt.sqrt((apart**2).sum(-1))
        root = np.sqrt(3.0) * far
        cov = variance * (1 + root) * pt.exp(-root) + (noise**2 + 1e-4) * np.eye(len(sites))
        pm.MvNormal("ratio", mean * np.ones(len(sites)), cov=cov, observed=np.asarray(ratio))
    return found
