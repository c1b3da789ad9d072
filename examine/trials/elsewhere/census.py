"""`fresh/census.py`, for PyMC; NumPy sums the products, in 64 bits unless the arrays have fewer."""

import numpy as np
import pymc as pm


def model(people, income, spending):
    people, income = np.asarray(people), np.asarray(income)
    mean = (people * income).sum(-1) / people.sum(-1) / 1e4
    with pm.Model() as found:
        base = pm.Normal("base", 0.0, 1.0)
        share = pm.Normal("share", 0.5, 0.2)
        sigma = pm.HalfNormal("sigma", 0.5)
        pm.Normal("spending", base + share * mean, sigma, observed=np.asarray(spending))
    return found
