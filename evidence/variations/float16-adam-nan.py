"""Variations of *Adam turns a zero gradient in float16 into NaN*: a step, by the formula."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax

from evidence.variation import vary

RATE = 0.125


def step(make, dtype, slopes=(0.0, 1.0), steps=1, jit=lambda f: f, **options):
    """Return the weights after some steps, from ones."""

    def run():
        optimizer = make(RATE, **options)
        weights, slope = jnp.ones(2, dtype), jnp.asarray(slopes, dtype)
        state = optimizer.init(weights)

        @jit
        def one(weights, state):
            updates, state = optimizer.update(slope, state, weights)
            return optax.apply_updates(weights, updates), state

        for _ in range(steps):
            weights, state = one(weights, state)
        return weights.astype(jnp.float32)

    return run


HALF, SINGLE = jnp.float16, jnp.float32
AFTER = [1.0, 1.0 - RATE]


def three(make=optax.adam, expected=AFTER, cure=None, **options):
    half = step(make, HALF, **options)
    return lambda: (half, expected, cure or step(make, SINGLE, **options))


vary("Adam", "silent", "holds")(three())
vary("AdamW without decay", "silent", "holds")(three(optax.adamw, weight_decay=0.0))
vary("AMSGrad", "silent", "holds")(three(optax.amsgrad))
vary("under jit", "silent", "holds")(three(jit=jax.jit))
vary("several steps", "silent", "holds")(three(steps=4, expected=[1.0, 0.5]))
vary("RMSProp", "silent", "holds")(three(optax.rmsprop, expected=[1.0, 1.0 - RATE / np.sqrt(0.1)]))
vary("a small gradient, whose square vanishes", "silent", "holds")(
    three(slopes=(1e-4, 1.0), expected=[1 - RATE] * 2)
)
vary("a chain with a clip", "silent", "holds")(
    three(lambda rate: optax.chain(optax.clip(1.0), optax.adam(rate)))
)
vary("a larger eps", "silent", "holds")(three(cure=step(optax.adam, HALF, eps=1e-3)))
vary("eps_root", "silent", "holds")(three(cure=step(optax.adam, HALF, eps_root=1e-5)))
vary("bfloat16 instead", "silent", "holds")(three(cure=step(optax.adam, jnp.bfloat16)))
vary("bfloat16 is not hit", "right", "-")(lambda: (step(optax.adam, jnp.bfloat16), AFTER, None))
vary("SGD is not hit", "right", "-")(lambda: (step(optax.sgd, HALF), AFTER, None))
vary("looks like a cure: zero_nans in front", "silent", "falls")(
    three(cure=step(lambda rate: optax.chain(optax.zero_nans(), optax.adam(rate)), HALF))
)
vary("zero_nans behind", "silent", "holds")(
    three(cure=step(lambda rate: optax.chain(optax.adam(rate), optax.zero_nans()), HALF))
)


def scanned(dtype):
    def run():
        optimizer = optax.adam(RATE)
        start = jnp.ones(2, dtype)
        slope = jnp.asarray([0.0, 1.0], dtype)

        def one(carry, _):
            updates, state = optimizer.update(slope, carry[1])
            return (optax.apply_updates(carry[0], updates), state), None

        return lax.scan(one, (start, optimizer.init(start)), length=1)[0][0].astype(jnp.float32)

    return run


vary("in a scan", "silent", "holds")(lambda: (scanned(HALF), AFTER, scanned(SINGLE)))
