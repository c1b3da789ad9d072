"""Variations of *The time of an event has a gradient of zero*: slopes by the formula of a fall."""

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optimistix

from evidence.variation import vary

jax.config.update("jax_disable_most_optimizations", True)
G = 9.81
HEIGHT = jnp.array(20.0)
BY_FORMULA = 1 / np.sqrt(2 * 20 * G)


def field(t, y, args):
    return jnp.stack([y[1], -G + 0 * y[1]])


ROOT = optimistix.Newton(rtol=1e-4, atol=1e-4)
BOOLEAN = diffrax.Event(lambda t, y, args, **kwargs: y[0] < 0)
NUMBER = diffrax.Event(lambda t, y, args, **kwargs: y[0])
CURE = diffrax.Event(lambda t, y, args, **kwargs: y[0], ROOT)


def ends(height, event, solver=None, dt0=0.3, controller=None, at=None):
    height = jnp.asarray(height)
    return diffrax.diffeqsolve(
        diffrax.ODETerm(field), solver or diffrax.Heun(), 0.0, 10.0, dt0,
        jnp.stack([height, 0 * height]), event=event, max_steps=256,
        stepsize_controller=controller or diffrax.ConstantStepSize(),
        saveat=at or diffrax.SaveAt(t1=True),
    )  # fmt: skip


def slope(event, take=jax.grad, of=lambda solution: solution.ts[-1], **options):
    return take(lambda height: of(ends(height, event, **options)))


def three(event=BOOLEAN, cure=CURE, expected=BY_FORMULA, **options):
    return lambda: (
        lambda: slope(event, **options)(HEIGHT),
        expected,
        lambda: slope(cure, **options)(HEIGHT),
    )


PID = diffrax.PIDController(rtol=1e-5, atol=1e-5)
vary("a boolean", "silent", "holds")(three())
vary("a number without a root finder", "silent", "holds")(three(NUMBER))
vary("another solver", "silent", "holds")(three(solver=diffrax.Tsit5()))
vary("adaptive steps", "silent", "holds")(three(controller=PID, dt0=0.1, solver=diffrax.Tsit5()))
vary("under vmap", "silent", "holds")(
    lambda: (
        lambda: jax.vmap(slope(BOOLEAN))(jnp.array([20.0, 20.0])),
        [BY_FORMULA] * 2,
        lambda: jax.vmap(slope(CURE))(jnp.array([20.0, 20.0])),
    )
)
vary("filter_grad", "silent", "holds")(three(take=eqx.filter_grad))
vary("under jit", "silent", "holds")(
    lambda: (
        lambda: jax.jit(slope(BOOLEAN))(HEIGHT),
        BY_FORMULA,
        lambda: jax.jit(slope(CURE))(HEIGHT),
    )
)
vary("the time itself is late", "silent", "holds")(
    lambda: (
        lambda: ends(HEIGHT, BOOLEAN).ts[-1],
        np.sqrt(2 * 20 / G),
        lambda: ends(HEIGHT, CURE).ts[-1],
    )
)
vary("the speed at the ground", "silent", "holds")(
    three(of=lambda solution: solution.ys[-1, 1], expected=-np.sqrt(G / 40))
)
vary("looks like a cure: small steps", "silent", "falls")(
    lambda: (
        lambda: slope(BOOLEAN)(HEIGHT),
        BY_FORMULA,
        lambda: slope(BOOLEAN, dt0=0.05)(HEIGHT),
    )
)
vary("looks like a cure: a number alone", "silent", "falls")(three(cure=NUMBER))
vary("a state at a fixed time", "right", "-")(
    lambda: (lambda: slope(None, of=lambda solution: solution.ys[-1, 0])(HEIGHT), 1.0, None)
)
vary("higher towers", "silent", "holds")(
    lambda: (
        lambda: [slope(BOOLEAN)(height) for height in (200.0, 260.0)],
        [1 / np.sqrt(2 * height * G) for height in (200.0, 260.0)],
        lambda: [slope(CURE)(height) for height in (200.0, 260.0)],
    )
)
