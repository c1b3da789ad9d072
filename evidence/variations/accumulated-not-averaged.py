"""Variations of *Accumulated gradients are not those of the large batch*: one step, by hand."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax

from evidence.variation import vary

SLOPES = np.float32([[1.0, -2.0], [3.0, 0.5], [-0.5, 1.0], [0.5, 0.25]])
RATE = 0.1


def run(optimizer, slopes=SLOPES, jit=lambda f: f):
    """Return the weights after one step for each gradient, from zero."""

    def train():
        weights = jnp.zeros(2)
        state = optimizer.init(weights)

        @jit
        def step(weights, state, slope):
            updates, state = optimizer.update(slope, state, weights)
            return optax.apply_updates(weights, updates), state

        for slope in slopes:
            weights, state = step(weights, state, jnp.asarray(slope))
        return weights

    return train


def multi(optimizer, k=4):
    return optax.MultiSteps(optimizer, every_k_schedule=k)


def every(optimizer, k=4):
    return optax.chain(optimizer, optax.apply_every(k))


def three(make, expected, cure=multi, k=4, **options):
    return lambda: (
        run(every(make(), k), **options),
        expected,
        run(cure(make(), k), **options),
    )


MEAN = SLOPES.mean(0)
sgd = lambda: optax.sgd(RATE)
adam = lambda: optax.adam(RATE)
clipped = lambda: optax.chain(optax.clip(0.5), optax.sgd(RATE))
by_norm = lambda: optax.chain(optax.clip_by_global_norm(0.5), optax.sgd(RATE))

vary("SGD", "silent", "holds")(three(sgd, -RATE * MEAN))
vary("under jit", "silent", "holds")(three(sgd, -RATE * MEAN, jit=jax.jit))
vary("two batches", "silent", "holds")(
    three(sgd, -RATE * (SLOPES[:2].mean(0) + SLOPES[2:].mean(0)), k=2)
)
vary("Adam", "silent", "holds")(three(adam, -RATE * np.sign(MEAN)))
vary("AdamW", "silent", "holds")(three(lambda: optax.adamw(RATE), -RATE * np.sign(MEAN)))
vary("a clip", "silent", "holds")(three(clipped, -RATE * np.clip(MEAN, -0.5, 0.5)))
vary("a clip of the norm", "silent", "holds")(
    three(by_norm, -RATE * MEAN * min(1, 0.5 / np.linalg.norm(MEAN)))
)
vary("the mean by hand", "silent", "holds")(
    lambda: (run(every(adam())), -RATE * np.sign(MEAN), run(adam(), [SLOPES.mean(0)]))
)


def scanned(optimizer):
    def train():
        def step(carry, slope):
            updates, state = optimizer.update(slope, carry[1], carry[0])
            return (optax.apply_updates(carry[0], updates), state), None

        start = jnp.zeros(2)
        return lax.scan(step, (start, optimizer.init(start)), jnp.asarray(SLOPES))[0][0]

    return train


vary("in a scan", "silent", "holds")(
    lambda: (scanned(every(sgd())), -RATE * MEAN, scanned(multi(sgd())))
)
vary("a sum in a loop, without dividing", "silent", "holds")(
    lambda: (run(sgd(), [SLOPES.sum(0)]), -RATE * MEAN, run(sgd(), [SLOPES.mean(0)]))
)
vary("a rate divided by four, SGD", "silent", "holds")(
    three(sgd, -RATE * MEAN, lambda optimizer, k: every(optax.sgd(RATE / 4), k))
)
vary("looks like a cure: the same with Adam", "silent", "falls")(
    three(adam, -RATE * np.sign(MEAN), lambda optimizer, k: every(optax.adam(RATE / 4), k))
)
vary("looks like a cure: apply_every in front", "silent", "falls")(
    three(adam, -RATE * np.sign(MEAN), lambda opt, k: optax.chain(optax.apply_every(k), opt))
)
vary("zero_nans inside of MultiSteps", "silent", "falls")(
    three(
        lambda: optax.chain(optax.zero_nans(), optax.sgd(RATE)),
        -RATE * SLOPES[1:].sum(0) / 4,
        slopes=np.concatenate([[[np.nan, np.nan]], SLOPES[1:]]),
    )
)
