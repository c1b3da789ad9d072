"""Absorbance by a cubic spline; SciPy's basis is made once, as the closure of a function."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from scipy.interpolate import BSpline


def spline_model(low, high, inner, degree=3):
    knots = np.linspace(low, high, inner)
    knots = np.concatenate([[low] * degree, knots, [high] * degree])

    def model(wavelength, absorbance):
        basis = jnp.asarray(BSpline.design_matrix(np.asarray(wavelength), knots, degree).toarray())
        smooth = numpyro.sample("smooth", dist.HalfNormal(1.0))
        walk = dist.GaussianRandomWalk(1.0, num_steps=basis.shape[1])
        weight = numpyro.sample("weight", walk)
        sigma = numpyro.sample("sigma", dist.HalfNormal(0.3))
        with numpyro.plate("points", basis.shape[0]):
            mean = basis @ (smooth * weight)
            numpyro.sample("absorbance", dist.Normal(mean, sigma), obs=absorbance)

    return model


wavelength = np.sort(np.random.default_rng(115).uniform(400, 700, 50))
model = spline_model(399.0, 701.0, 8)
arguments = wavelength, jnp.asarray(np.exp(-(((wavelength - 550) / 40) ** 2)))
