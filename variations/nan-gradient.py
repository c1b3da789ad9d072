"""Variations of *The value is right and its gradient is NaN*: a gradient, by differences too."""

import jax
import jax.numpy as jnp
import numpy as np
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
vary("looks right: xlogy", "silent", "falls")(lambda: three(by_xlogy))
vary("looks right: float64", "silent", "falls")(lambda: three(unsafe, in_float64))
vary("looks right: nan_to_num", "silent", "falls")(lambda: three(unsafe, nothing_for_nan))
