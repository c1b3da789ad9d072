"""Variations of *The value is right and its gradient is NaN*: a gradient, by differences too."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro.distributions as dist
from jax import lax
from scipy import stats

from evidence.variation import vary

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


def _gaps(safe, gradient=jax.grad):
    """The slope of the sum of distances to a point that is one of them."""

    class Distances:
        points = np.float32([[0.0, 0.0], [3.0, 4.0]])

        def one(self, scale, point):
            square = (scale * point**2).sum()
            here = square == 0
            inside = jnp.where(here, 1.0, square) if safe else square
            return jnp.where(here, 0.0, jnp.sqrt(inside))

        def __call__(self, scale):
            return jax.vmap(self.one, in_axes=(None, 0))(scale, self.points).sum()

    return lambda: jax.jit(gradient(Distances()))(4.0)


vary("a distance of zero, in a class", "silent", "holds")(
    lambda: (_gaps(False), 5 / 4, _gaps(True))
)
vary("a distance of zero, in forward mode", "silent", "holds")(
    lambda: (_gaps(False), 5 / 4, _gaps(False, jax.jacfwd))
)


@vary("padded rows of gamma readings, in a scan", "silent", "holds")
def _():
    rows, counts = np.float32([[1.0, 2.0, 0.0], [3.0, 0.0, 0.0]]), np.array([2, 1])

    def total(shape, safe):
        def row(total, inputs):
            values, count = inputs
            there = jnp.arange(3) < count
            values = jnp.where(there, values, 1.0) if safe else values
            logs = (shape - 1) * jnp.log(values) - values - jax.scipy.special.gammaln(shape)
            return total + jnp.where(there, logs, 0.0).sum(), None

        return jax.lax.scan(row, 0.0, (rows, counts))[0]

    of = lambda shape: stats.gamma(shape).logpdf([1.0, 2.0, 3.0]).sum()
    expected = (of(2.001) - of(1.999)) / 0.002
    return lambda: jax.grad(total)(2.0, False), expected, lambda: jax.grad(total)(2.0, True)
