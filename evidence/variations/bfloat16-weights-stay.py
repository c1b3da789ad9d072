"""Variations of *Weights in bfloat16 stop moving*: what a hundred small steps make of a weight."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from evidence.variation import vary

STEPS, RATE = 100, 1e-3
FALLEN = (1 - RATE) ** STEPS  # under weight decay


def decay(w):
    return w - RATE * w


def after(dtype, step=decay, start=1.0, keep=lambda w: w):
    def run():
        weight = jnp.asarray(start, dtype)
        for _ in range(STEPS):
            weight = keep(step(weight))
        return np.asarray(weight, float)

    return run


def in_loop(dtype):
    def run():
        start = jnp.asarray(1.0, dtype)
        return lax.fori_loop(0, STEPS, lambda _, w: decay(w).astype(dtype), start).astype(float)

    return run


def three(dtype, cure=jnp.float32, **options):
    return after(dtype, **options), FALLEN, after(cure, **options)


BF, HALF = jnp.bfloat16, jnp.float16
vary("weight decay", "silent", "holds")(lambda: three(BF))
vary("under jit", "silent", "holds")(lambda: three(BF, step=jax.jit(decay)))
vary("in a loop", "silent", "holds")(lambda: (in_loop(BF), FALLEN, in_loop(jnp.float32)))
vary("larger steps, which are rounded", "silent", "holds")(
    lambda: (
        after(BF, lambda w: w - 0.01 * w),
        0.99**STEPS,
        after(jnp.float32, lambda w: w - 0.01 * w),
    )
)
vary("float16, near its digits", "silent", "holds")(
    lambda: (
        after(HALF, lambda w: w - 1e-4 * w),
        (1 - 1e-4) ** STEPS,
        after(jnp.float32, lambda w: w - 1e-4 * w),
    )
)
vary("a running mean", "silent", "holds")(
    lambda: (
        after(BF, lambda m: (0.999 * m + 0.001 * 2.0).astype(m.dtype)),
        2 - 0.999**STEPS,
        after(jnp.float32, lambda m: 0.999 * m + 0.001 * 2.0),
    )
)
vary("a count", "silent", "holds")(
    lambda: (
        lambda: lax.fori_loop(0, 1000, lambda _, n: n + jnp.ones((), BF), jnp.zeros((), BF)),
        1000,
        lambda: lax.fori_loop(0, 1000, lambda _, n: n + 1, 0),
    )
)
vary("a sum of JAX is kept in float32", "right", "holds")(
    lambda: (
        lambda: jnp.ones(1024, BF).sum(),
        1024,
        lambda: jnp.ones(1024, BF).sum(dtype=jnp.float32),
    )
)
vary("looks right: the step alone in float32", "silent", "falls")(
    lambda: (
        after(BF),
        FALLEN,
        after(BF, lambda w: w.astype(jnp.float32) * (1 - RATE), keep=lambda w: w.astype(BF)),
    )
)


def embedded(table, look):
    slope = lambda: jax.jit(jax.grad(lambda table: look(table).sum().astype(float)))(table)
    return lambda: np.asarray(slope(), float)


WORDS, COUNTS = np.repeat([0, 2], [1024, 512]), [1024, 0, 512]
NARROW = embedded(jnp.ones(3, BF), lambda table: table[WORDS])
vary("the gradient of an embedding", "silent", "holds")(
    lambda: (NARROW, COUNTS, embedded(jnp.ones(3), lambda table: table[WORDS].astype(BF)))
)
vary("looks right: its table converted before the lookup", "silent", "falls")(
    lambda: (NARROW, COUNTS, embedded(jnp.ones(3), lambda table: table.astype(BF)[WORDS]))
)
vary("a sum by index", "silent", "holds")(
    lambda: (
        lambda: jax.ops.segment_sum(jnp.ones(1536, BF), WORDS, 3),
        COUNTS,
        lambda: jax.ops.segment_sum(jnp.ones(1536), WORDS, 3),
    )
)


def _optax(dtype, **options):
    def run():
        import optax

        optimizer = optax.adam(RATE, **options)
        weight = jnp.ones(1, dtype)
        state = optimizer.init(weight)
        for _ in range(STEPS):
            updates, state = optimizer.update(jnp.ones_like(weight), state, weight)
            weight = optax.apply_updates(weight, updates)
        return np.asarray(weight, float)

    return run


ADAM = [1 - RATE * STEPS]
MISSING = ("ModuleNotFoundError", "ModuleNotFoundError")
vary("Adam", "silent", "holds", then=MISSING)(lambda: (_optax(BF), ADAM, _optax(jnp.float32)))
vary("looks right: a float32 momentum", "silent", "falls", then=MISSING)(
    lambda: (_optax(BF), ADAM, _optax(BF, mu_dtype=jnp.float32))
)
