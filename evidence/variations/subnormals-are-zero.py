"""Variations of *A number below 1e-38 counts as zero*: small numbers, by NumPy or by hand."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from evidence.variation import vary

SMALL = np.float32([3e-39, 1e-39])
LOGS = np.float32([-89.2, -88.4, -90.1])


def of(function, expected, cured, x=SMALL):
    return lambda: (lambda: jax.jit(function)(x), expected, cured)


WEIGHTS = np.exp(LOGS.astype(float)) / np.exp(LOGS.astype(float)).sum()
vary("weights by exp", "silent", "holds")(
    of(lambda x: jnp.exp(x) / jnp.exp(x).sum(), WEIGHTS, lambda: jax.nn.softmax(LOGS), LOGS)
)
vary("looks like a cure: a maximum below the limit", "silent", "falls")(
    of(
        lambda x: jnp.exp(x) / jnp.exp(x).sum(),
        WEIGHTS,
        lambda: jnp.exp(LOGS) / jnp.maximum(jnp.exp(LOGS).sum(), 1e-45),
        LOGS,
    )
)
vary("a product of probabilities", "silent", "holds")(
    lambda: (
        lambda: jnp.log(jnp.prod(jnp.full(40, 0.1))),
        40 * np.log(0.1),
        lambda: jnp.sum(jnp.log(jnp.full(40, 0.1))),
    )
)
vary("the same in a scan", "silent", "holds")(
    lambda: (
        lambda: jnp.log(lax.scan(lambda c, p: (c * p, None), 1.0, jnp.full(40, 0.1))[0]),
        40 * np.log(0.1),
        lambda: lax.scan(lambda c, p: (c + jnp.log(p), None), 0.0, jnp.full(40, 0.1))[0],
    )
)
vary("a ratio; another unit", "silent", "holds")(
    of(lambda x: x / x.sum(), SMALL / SMALL.sum(), lambda: jnp.array([3.0, 1.0]) / 4)
)
vary("a logarithm; of the factors", "silent", "holds")(
    of(jnp.log, np.log(SMALL.astype(float)), lambda: jnp.log(jnp.float32([3, 1])) - 39 * np.log(10))
)
vary("a root", "silent", "holds")(
    lambda: (
        lambda: 1e19 * jnp.sqrt(jnp.asarray(SMALL)),
        1e19 * np.sqrt(SMALL.astype(float)),
        lambda: 1e19 * jnp.sqrt(jnp.float32([3, 1])) * np.sqrt(1e-39),
    )
)
vary("argmax", "silent", "holds")(
    lambda: (
        lambda: jnp.argmax(jnp.asarray(SMALL[::-1])),
        1,
        lambda: jnp.argmax(jnp.float32([1.0, 3.0])),
    )
)
vary("under vmap", "silent", "holds")(
    lambda: (
        lambda: jax.vmap(lambda x: x == 0)(jnp.asarray(SMALL)),
        [False, False],
        lambda: jax.vmap(lambda x: x == 0)(jnp.float32([3.0, 1.0])),
    )
)
vary("bfloat16", "silent", "holds")(
    lambda: (
        lambda: jnp.log(jnp.asarray(SMALL, jnp.bfloat16)).astype(float) > -1e9,
        [True, True],
        lambda: jnp.log(jnp.asarray(SMALL * 1e9, jnp.bfloat16)).astype(float) > -1e9,
    )
)
vary("the tail of a sigmoid", "silent", "holds")(
    lambda: (
        lambda: jnp.log(jax.nn.sigmoid(jnp.float32(-90.0))),
        -90.0,
        lambda: jax.nn.log_sigmoid(jnp.float32(-90.0)),
    )
)
vary("float16 is not hit", "right", "-")(
    lambda: (jnp.log(jnp.float16(1e-6)).astype(float) < -13, True, None)
)
vary("added to larger numbers", "right", "-")(
    lambda: (lambda: jnp.sum(jnp.float32([1.0, 3e-39])), 1.0, None)
)
