"""Variations of *Finite differences say that a right gradient is wrong*: a slope, by formula."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from evidence.variation import vary


def slope(function, at, h):
    return lambda: (function(at + h) - function(at - h)) / (2 * h)


def in_float64(function, at, h=1e-6):
    def compute():
        jax.config.update("jax_enable_x64", True)
        try:
            return np.float64(slope(jax.jit(function), jnp.float64(at), h)())
        finally:
            jax.config.update("jax_enable_x64", False)

    return compute


def large(x):
    return 1000.0 + jnp.sin(x)


def three(function, at, expected, h=1e-5, cure=None):
    return slope(function, jnp.float32(at), h), expected, cure or in_float64(function, at)


COS = np.cos(1.0)
vary("a large constant", "silent", "holds")(lambda: three(large, 1.0, COS))
vary("under jit", "silent", "holds")(lambda: three(jax.jit(large), 1.0, COS))
vary("a step that is nothing", "silent", "holds")(lambda: three(jnp.sin, 1.0, COS, 1e-8))
vary("a large argument", "silent", "holds")(
    lambda: three(lambda x: (x / 1000) ** 2, 1000.0, 0.002, 1e-5)
)
vary("jax.grad is right", "silent", "holds")(
    lambda: three(large, 1.0, COS, cure=lambda: jax.grad(large)(1.0))
)
vary("a sum of many", "silent", "holds")(
    lambda: three(lambda x: (x * jnp.linspace(0.0, 2.0, 1001)).sum() + 5000.0, 1.0, 1001.0, 1e-6)
)
vary("in a loop", "silent", "holds")(
    lambda: three(
        lambda x: lax.fori_loop(0, 100, lambda _, s: s + jnp.sin(x), 0.0 * x), 1.0, 100 * COS, 1e-6
    )
)
vary("a step of the cube root, of a small function", "right", "holds")(
    lambda: three(lambda x: x**2, 1.0, 2.0, 5e-3)
)
vary("looks right: a smaller step", "silent", "falls")(
    lambda: three(large, 1.0, COS, cure=slope(large, jnp.float32(1.0), 1e-7))
)
vary("looks right: a step on one side", "silent", "falls")(
    lambda: three(large, 1.0, COS, cure=lambda: (large(1.0 + 1e-5) - large(1.0)) / 1e-5)
)


def _checked(x64):
    """Whether `check_grads` accepts a right gradient."""
    from jax.test_util import check_grads

    jax.config.update("jax_enable_x64", x64)
    try:
        at = jnp.asarray(1.0, float)
        check_grads(large, (at,), order=1, modes=["rev"], rtol=1e-4)
    except AssertionError:
        return False
    finally:
        jax.config.update("jax_enable_x64", False)
    return True


vary("check_grads", "silent", "holds")(
    lambda: (lambda: _checked(False), True, lambda: _checked(True))
)
