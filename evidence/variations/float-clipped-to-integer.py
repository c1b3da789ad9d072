"""Variations of *A float that does not fit into an integer is clipped*: remainders by Python."""

import jax
import jax.numpy as jnp
import numpy as np

from evidence.variation import vary

TICKS = np.float32([10.0, 255.0, 300.0, 1000.0])


def three(dtype=jnp.uint8, ticks=TICKS, modulus=256, jit=lambda f: f, cure=None):
    expected = [int(tick) % modulus for tick in ticks]

    def wrapped(x):
        return (x.astype(jnp.int32) % modulus).astype(dtype)

    x = jnp.asarray(ticks)
    return lambda: (
        lambda: jit(lambda x: x.astype(dtype))(x),
        expected,
        lambda: jit(cure or wrapped)(x),
    )


vary("bytes", "silent", "holds")(three())
vary("under jit", "silent", "holds")(three(jit=jax.jit))
vary("under vmap", "silent", "holds")(three(jit=jax.vmap))
vary("16 bits", "silent", "holds")(three(jnp.uint16, TICKS * 100, 65536))
vary("negative numbers", "silent", "holds")(three(ticks=np.float32([-1.0, -300.0, 5.0])))
vary("by jnp.uint8(x)", "silent", "holds")(
    lambda: (lambda: jnp.uint8(jnp.float32(300.0)), 44, lambda: jnp.uint8(jnp.int32(300) % 256))
)
vary("by jnp.array(…, dtype)", "silent", "holds")(
    lambda: (
        lambda: jnp.array(jnp.asarray(TICKS), dtype=jnp.uint8),
        [10, 255, 44, 232],
        lambda: jnp.array(jnp.asarray(TICKS).astype(int), dtype=jnp.uint8),
    )
)
vary("by lax.convert_element_type", "silent", "holds")(
    three(cure=lambda x: jax.lax.convert_element_type(x.astype(jnp.int32), jnp.uint8))
)
vary("negative numbers in 32 bits", "silent", "holds")(
    three(
        jnp.uint32,
        np.float32([-20.0, 7.0]),
        2**32,
        cure=lambda x: x.astype(jnp.int32).astype(jnp.uint32),
    )
)
vary("NaN that marks a missing count", "silent", "holds")(
    lambda: (
        lambda: jnp.array([2.0, jnp.nan]).astype(int),
        [2, -1],
        lambda: jnp.nan_to_num(jnp.array([2.0, jnp.nan]), nan=-1).astype(int),
    )
)
vary("integers divided by zero", "silent", "holds")(
    lambda: (
        lambda: jnp.array([7, 8]) // jnp.array([0, 2]),
        [0, 4],
        lambda: jnp.where(jnp.array([0, 2]) == 0, 0, jnp.array([7, 8]) // jnp.array([1, 2])),
    )
)
vary("integer to integer wraps", "right", "-")(
    lambda: (lambda: jnp.array([10, 300]).astype(jnp.uint8), [10, 44], None)
)
vary("values that fit", "right", "-")(
    lambda: (lambda: jnp.float32([1.0, 200.0]).astype(jnp.uint8), [1, 200], None)
)
vary("looks like a cure: another float", "silent", "falls")(
    three(cure=lambda x: x.astype(jnp.bfloat16).astype(jnp.uint8))
)
vary("integers divided by zero and below", "silent", "holds")(
    lambda: (
        lambda: 12 // jnp.array([-3, 0, 2]),
        [-4, 0, 6],
        lambda: (lambda n: jnp.where(n == 0, 0, 12 // jnp.where(n == 0, 1, n)))(
            jnp.array([-3, 0, 2])
        ),
    )
)
vary("ticks beyond 2**31, in 32 bits", "silent", "falls")(three(ticks=np.float32([2.0**31 + 512])))
