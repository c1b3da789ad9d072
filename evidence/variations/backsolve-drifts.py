"""Variations of *The gradient of a differential equation is wrong with BacksolveAdjoint*.

Each computes the slope of a state by a parameter.
"""

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from scipy.integrate import solve_ivp

from evidence.variation import vary

jax.config.update("jax_disable_most_optimizations", True)
BACK, KEPT = diffrax.BacksolveAdjoint(), diffrax.RecursiveCheckpointAdjoint()
START, H = [2.0, 0.0], 1e-4
TIGHTER = diffrax.PIDController(rtol=1e-7, atol=1e-7)


def oscillator(t, y, mu, np=jnp):
    return np.stack([y[1], mu * (1 - y[0] ** 2) * y[1] - y[0]])


def growth(t, y, rate, np=jnp):
    return np.stack([rate * y[0] * (1 - y[0]), 0 * y[1]])


def position(mu, adjoint, end=10.0, solver=None, controller=None, field=oscillator, start=START):
    return diffrax.diffeqsolve(
        diffrax.ODETerm(field), solver or diffrax.Tsit5(), 0.0, end, 0.01,
        jnp.array(start), mu, adjoint=adjoint, max_steps=4096,
        stepsize_controller=controller or diffrax.PIDController(rtol=1e-6, atol=1e-6),
    ).ys[-1, 0]  # fmt: skip


def slope(mu, end=10.0, field=oscillator, start=START):
    """The slope by SciPy, from differences in float64."""
    flow = lambda mu: solve_ivp(
        lambda t, y: field(t, y, mu, np), (0, end), start, "LSODA", rtol=1e-10, atol=1e-12
    ).y[0, -1]
    return (flow(mu + H) - flow(mu - H)) / (2 * H)


def three(mu=2.0, wrong=BACK, cure=KEPT, way=jax.grad, **options):
    exact = {key: options[key] for key in ("end", "field", "start") if key in options}
    run = lambda adjoint: lambda: way(lambda mu: position(mu, adjoint, **options))(mu)
    return run(wrong), slope(mu, **exact), run(cure)


class Oscillator(eqx.Module):
    mu: jax.Array

    def __call__(self, t, y, args):
        return oscillator(t, y, self.mu)


vary("as on the page", "silent", "holds")(lambda: three())
vary("under jit", "silent", "holds")(lambda: three(way=lambda f: jax.jit(jax.grad(f))))
vary("steps of one length", "silent", "holds")(lambda: three(controller=diffrax.ConstantStepSize()))
vary("another solver", "silent", "holds", then=("XlaRuntimeError", "holds"))(
    lambda: three(solver=diffrax.Dopri8())
)
vary("two seconds are right", "right", "holds")(lambda: three(end=2.0))
vary("another start", "silent", "holds")(lambda: three(start=[0.5, 0.5]))
vary("a growth that does not forget its rate", "right", "holds")(
    lambda: three(0.5, end=4.0, field=growth, start=[0.1, 0.0])
)
tighter = {"then": ("silent", "XlaRuntimeError")}  # the way back runs to infinity
vary("looks right: a tolerance of 1e-7", "silent", "falls", **tighter)(
    lambda: (
        lambda: jax.grad(position)(2.0, BACK),
        slope(2.0),
        lambda: jax.grad(position)(2.0, BACK, controller=TIGHTER),
    )
)
vary("the steps are differentiated", "silent", "holds")(lambda: three(cure=diffrax.DirectAdjoint()))


@vary("under vmap", "silent", "holds")
def lanes():
    mus = jnp.array([1.8, 2.0])
    run = lambda adjoint: lambda: jax.vmap(jax.grad(lambda mu: position(mu, adjoint)))(mus)
    return run(BACK), [slope(mu) for mu in (1.8, 2.0)], run(KEPT)


@vary("a parameter in a module, by filter_grad", "silent", "holds")
def module():
    def of(adjoint):
        def at(field):
            return diffrax.diffeqsolve(
                diffrax.ODETerm(field), diffrax.Tsit5(), 0.0, 10.0, 0.01, jnp.array(START),
                stepsize_controller=diffrax.PIDController(rtol=1e-6, atol=1e-6), adjoint=adjoint,
            ).ys[-1, 0]  # fmt: skip

        return lambda: eqx.filter_grad(at)(Oscillator(jnp.array(2.0))).mu

    return of(BACK), slope(2.0), of(KEPT)


@vary("odeint of JAX", "silent", "holds")
def by_odeint():
    from jax.experimental.ode import odeint

    def at(mu):
        field = lambda y, t, mu: oscillator(t, y, mu)
        times = jnp.array([0.0, 10.0])
        return odeint(field, jnp.array(START), times, mu, rtol=1e-6, atol=1e-6)[-1, 0]

    return lambda: jax.grad(at)(2.0), slope(2.0), lambda: jax.grad(position)(2.0, KEPT)
