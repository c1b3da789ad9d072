"""Variations of *The value is right and its gradient is NaN*: a gradient, by differences too."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro.distributions as dist
from jax import lax

from tools.variations import vary

DOSES = np.float32([0, 0.5, 1, 2, 4, 8])
RESPONSES = np.float32([0.1, 0.6, 1.1, 1.4, 2.1, 2.7])


def unsafe(power):
    return jnp.where(DOSES > 0, jnp.exp(power * jnp.log(jnp.asarray(DOSES))), 0.0)


def safe(power):
    inner = jnp.where(DOSES > 0, DOSES, 1.0)
    return jnp.where(DOSES > 0, jnp.exp(power * jnp.log(inner)), 0.0)


def loss(curve):
    return lambda power: ((curve(power) - RESPONSES) ** 2).sum()


def slope(power=0.6, h=1e-5):
    """The gradient of the loss, by differences in float64."""
    of = lambda power: ((DOSES.astype(float) ** power - RESPONSES) ** 2).sum()
    return (of(power + h) - of(power - h)) / (2 * h)


def three(curve=safe, way=jax.grad):
    return lambda: way(loss(unsafe))(0.6), slope, lambda: way(loss(curve))(0.6)


def by_xlogy(power):
    return jnp.where(DOSES > 0, jnp.exp(jax.scipy.special.xlogy(power, DOSES)), 0.0)


def by_cond(power):
    one = lambda dose: lax.cond(dose > 0, lambda p: p * jnp.log(dose), lambda p: -jnp.inf, power)
    return jnp.exp(jnp.stack([one(dose) for dose in DOSES]))


def in_float64(of):
    def gradient(power):
        jax.config.update("jax_enable_x64", True)
        try:
            return jax.grad(of)(power)
        finally:
            jax.config.update("jax_enable_x64", False)

    return gradient


def nothing_for_nan(of):
    return lambda power: jnp.nan_to_num(jax.grad(of)(power))


def at_zero(power):
    return jnp.exp(power * jnp.log(jnp.maximum(DOSES, 1e-6))) * (DOSES > 0)


vary("as on the page", "silent", "holds")(lambda: three())
vary("under jit", "silent", "holds")(lambda: three(way=lambda of: jax.jit(jax.grad(of))))
vary("the rule of `dose ** power`", "silent", "holds")(lambda: three(lambda p: DOSES**p))
vary("a maximum inside the logarithm", "silent", "holds")(lambda: three(at_zero))
vary("forward mode is right", "right", "holds")(lambda: three(way=jax.jacfwd))
vary("`lax.cond`, one dose at a time", "silent", "holds")(lambda: three(by_cond))


@vary("Poisson with an exposure of zero; the cure leaves it out", "silent", "holds")
def no_exposure():
    exposure, counts = np.float32([0.0, 1.0, 2.0, 4.0]), np.array([0, 1, 3, 2])
    of = lambda use: lambda rate: dist.Poisson(rate * exposure[use]).log_prob(counts[use]).sum()
    expected = counts.sum() / 0.5 - exposure.sum()
    return lambda: jax.grad(of(...))(0.5), expected, lambda: jax.grad(of(exposure > 0))(0.5)


@vary("NegativeBinomial2 with a mean of zero; the cure is a second `where`", "silent", "holds")
def no_mean():
    exposure, counts = np.float32([0.0, 1.0, 2.0, 4.0]), np.array([0, 1, 3, 2])

    def of(safe):
        def log_prob(rate):
            mean = rate * jnp.where(exposure > 0, exposure, 1.0 if safe else exposure)
            each = dist.NegativeBinomial2(mean, 2.0).log_prob(counts)
            return jnp.where(exposure > 0, each, 0.0).sum()

        return log_prob

    mean = 0.5 * exposure[1:].astype(float)
    slopes = exposure[1:] * (counts[1:] / mean - (counts[1:] + 2) / (mean + 2))
    return lambda: jax.grad(of(False))(0.5), slopes.sum(), lambda: jax.grad(of(True))(0.5)


vary("looks right: xlogy", "silent", "falls")(lambda: three(by_xlogy))
vary("looks right: float64", "silent", "falls")(lambda: three(unsafe, in_float64))
vary("looks right: nan_to_num", "silent", "falls")(lambda: three(unsafe, nothing_for_nan))
