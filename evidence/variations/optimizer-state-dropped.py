"""Variations of *A learning-rate schedule stays at its first value*: a weight, by NumPy too."""

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jax import lax

from evidence.variation import vary

N = 30
GRADIENT = jnp.ones(())


def warm(rate=0.1, steps=10):
    return optax.linear_schedule(0.0, rate, steps)


def run(optimizer, keeps, jit=lambda f: f, steps=N):
    """Train with the gradient 1, and return the weight."""

    @jit
    def step(weight, state):
        updates, new = optimizer.update(GRADIENT, state, weight)
        return optax.apply_updates(weight, updates), new if keeps else state

    def train():
        weight = jnp.zeros(())
        state = optimizer.init(weight)
        for _ in range(steps):
            weight, state = step(weight, state)
        return weight

    return train


def inside(optimizer):
    def train():
        weight = jnp.zeros(())
        for _ in range(N):
            updates, _ = optimizer.update(GRADIENT, optimizer.init(weight), weight)
            weight = optax.apply_updates(weight, updates)
        return weight

    return train


def scanned(optimizer, keeps):
    def train():
        def step(carry, _):
            updates, new = optimizer.update(GRADIENT, carry[1])
            return (carry[0] + updates, new if keeps else carry[1]), None

        start = jnp.zeros(())
        return lax.scan(step, (start, optimizer.init(start)), length=N)[0][0]

    return train


WARMED = -sum(0.1 * min(i / 10, 1) for i in range(N))


def three(optimizer, expected=WARMED, **options):
    return run(optimizer, False, **options), expected, run(optimizer, True, **options)


vary("a warm-up", "silent", "holds")(lambda: three(optax.sgd(warm())))
vary("under jit", "silent", "holds")(lambda: three(optax.sgd(warm()), jit=jax.jit))
vary("under filter_jit", "silent", "holds")(lambda: three(optax.sgd(warm()), jit=eqx.filter_jit))
vary("in a scan", "silent", "holds")(
    lambda: (scanned(optax.sgd(warm()), False), WARMED, scanned(optax.sgd(warm()), True))
)
vary("init inside of the step", "silent", "holds")(
    lambda: (inside(optax.sgd(warm())), WARMED, run(optax.sgd(warm()), True))
)
vary("a chain", "silent", "holds")(
    lambda: three(optax.chain(optax.clip(1.0), optax.scale_by_learning_rate(warm())))
)
vary("inject_hyperparams", "silent", "holds")(
    lambda: three(optax.inject_hyperparams(optax.sgd)(warm()))
)
vary("momentum, without a schedule", "silent", "holds")(
    lambda: three(
        optax.sgd(0.1, momentum=0.9), -0.1 * sum(1 - 0.9**i for i in range(1, N + 1)) * 10
    )
)
vary("a schedule that falls", "silent", "holds")(
    lambda: three(
        optax.sgd(optax.exponential_decay(0.1, 1, 0.9)), -0.1 * sum(0.9**i for i in range(N))
    )
)
vary("MultiSteps", "silent", "holds")(
    lambda: three(
        optax.MultiSteps(optax.sgd(0.1), every_k_schedule=3),
        -0.1 * N / 3,
    )
)
vary("plain SGD does no harm", "right", "holds")(lambda: three(optax.sgd(0.1), -0.1 * N))
vary("looks right: a schedule that counts in epochs", "silent", "falls")(
    lambda: (
        run(optax.sgd(warm()), False),
        WARMED,
        run(optax.sgd(warm(steps=1)), True),
    )
)
