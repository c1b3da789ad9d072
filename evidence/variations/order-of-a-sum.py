"""Variations of *The same numbers in another order have another sum*: how many sums there are."""

import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from evidence.variation import vary

DRAW = np.random.default_rng(0)
TERMS = DRAW.normal(size=100_000).astype(np.float32)
ORDERS = [DRAW.permutation(TERMS) for _ in range(8)]


def sums(total, orders=ORDERS):
    return lambda: len({float(total(order)) for order in orders})


def double(total, orders=ORDERS):
    """Return how many sums there are in float64, rounded to float32."""

    def count():
        jax.config.update("jax_enable_x64", True)
        try:
            return len({np.float32(total(jnp.asarray(order, jnp.float64))) for order in orders})
        finally:
            jax.config.update("jax_enable_x64", False)

    return count


def three(total):
    return lambda: (sums(total), 1, double(total))


vary("a sum", "silent", "holds")(three(jnp.sum))
vary("under jit", "silent", "holds")(three(jax.jit(jnp.sum)))
vary("a mean", "silent", "holds")(three(jnp.mean))
vary("a running total", "silent", "holds")(
    three(jax.jit(lambda x: lax.scan(lambda c, v: (c + v, None), x[0] * 0, x)[0]))
)
vary("a product with ones", "silent", "holds")(three(lambda x: x @ jnp.ones_like(x)))
vary("a norm", "silent", "holds")(three(lambda x: jnp.sqrt((x * x).sum())))
vary("a scatter", "silent", "holds")(
    three(lambda x: jnp.zeros(1, x.dtype).at[jnp.zeros(len(x), int)].add(x)[0])
)
vary("other shapes of one order", "silent", "holds")(
    lambda: (
        lambda: len(
            {float(jnp.asarray(TERMS).reshape(-1, k).sum(0).sum()) for k in (1, 10, 100, 1000)}
        ),
        1,
        lambda: len({round(float(TERMS.astype(float).reshape(-1, k).sum()), 5) for k in (1, 10)}),
    )
)
vary("NumPy in float32, too", "silent", "holds")(
    lambda: (sums(np.sum), 1, sums(lambda x: np.float32(np.sum(x, dtype=np.float64))))
)
vary("bfloat16", "silent", "holds")(
    lambda: (
        sums(lambda x: jnp.cumsum(jnp.asarray(x[:999], jnp.bfloat16))[-1]),
        1,
        double(jnp.sum),
    )
)
vary("integers", "right", "-")(
    lambda: (sums(lambda x: jnp.sum((jnp.asarray(x) * 1000).astype(int))), 1, None)
)
vary("a maximum", "right", "-")(lambda: (sums(jnp.max), 1, None))
vary("looks like a cure: the matmul precision", "silent", "falls")(
    lambda: (
        sums(jnp.sum),
        1,
        sums(lambda x: jnp.dot(x, jnp.ones_like(x), precision="highest")),
    )
)
vary("the same order again", "right", "-")(lambda: (sums(jnp.sum, [TERMS] * 8), 1, None))
CANCEL = [DRAW.permutation(np.float32([1e20, 1.0, -1e20])) for _ in range(20)]
vary("large terms that cancel", "silent", "falls")(
    lambda: (sums(jnp.sum, CANCEL), 1, double(jnp.sum, CANCEL))
)
vary("large terms that cancel, by math.fsum", "silent", "holds")(
    lambda: (sums(jnp.sum, CANCEL), 1, sums(math.fsum, CANCEL))
)
