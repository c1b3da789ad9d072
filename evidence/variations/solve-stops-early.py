"""Variations of *A differential equation stops early and returns an earlier state*: states."""

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from scipy.integrate import solve_ivp

from evidence.variation import vary

jax.config.update("jax_disable_most_optimizations", True)
FAST, SLOW = 1000.0, 1.0


def pulled(t, y, rate):
    return rate * (jnp.cos(t) - y)


def solve(rate, max_steps=256, solver=None, times=None, field=pulled, start=0.0, end=10.0):
    return diffrax.diffeqsolve(
        diffrax.ODETerm(field), solver or diffrax.Tsit5(), 0.0, end, 0.01,
        jnp.asarray(start), rate, max_steps=max_steps, throw=False,
        stepsize_controller=diffrax.PIDController(rtol=1e-5, atol=1e-8),
        saveat=diffrax.SaveAt(t1=True) if times is None else diffrax.SaveAt(ts=times),
    )  # fmt: skip


def state_or_nan(rate, max_steps=16384, **options):
    solution = solve(rate, max_steps, **options)
    arrived = solution.result == diffrax.RESULTS.successful
    return jnp.where(arrived, solution.ys, jnp.nan)


def by_scipy(rate, times=(10.0,)):
    slope = lambda t, y: rate * (np.cos(t) - y)
    found = solve_ivp(slope, (0, 10), [0.0], "LSODA", t_eval=times, rtol=1e-8, atol=1e-10)
    return found.y[0]


def three(rate=FAST, way=lambda f: f, cure=state_or_nan, **options):
    return (
        lambda: way(lambda rate: solve(rate, **options).ys)(rate),
        by_scipy(rate, options.get("times", (10.0,))),
        lambda: way(lambda rate: cure(rate, **options))(rate),
    )


def if_finite(rate):
    found = solve(rate).ys
    return jnp.where(jnp.isfinite(found), found, jnp.nan)


TIMES = np.linspace(1.0, 10.0, 4)
vary("as on the page, one rate", "silent", "holds")(lambda: three())
vary("under jit", "silent", "holds")(lambda: three(way=jax.jit))
vary("under filter_jit", "silent", "holds")(lambda: three(way=eqx.filter_jit))
vary("a slow rate arrives", "right", "holds")(lambda: three(SLOW))
vary("at several times, inf", "silent", "holds")(lambda: three(times=TIMES))
vary("another solver", "silent", "holds")(lambda: three(solver=diffrax.Dopri5()))
vary("looks right: a question for finite states", "silent", "falls")(
    lambda: three(cure=lambda rate: if_finite(rate))
)
vary("looks right: a solver for stiff equations, in float32", "silent", "falls")(
    lambda: three(cure=lambda rate: state_or_nan(rate, 256, solver=diffrax.Kvaerno5()))
)


def falls(arrived):
    """Let a ball fall from ten meters until it meets the ground."""

    def solve(cure=False):
        solution = diffrax.diffeqsolve(
            diffrax.ODETerm(lambda t, y, args: jnp.array([y[1], -9.8])), diffrax.Tsit5(),
            0.0, 10.0, 0.01, jnp.array([10.0, 0.0]), throw=False, max_steps=256,
            stepsize_controller=diffrax.PIDController(rtol=1e-5, atol=1e-8),
            event=diffrax.Event(lambda t, y, args, **kwargs: y[0] < 0.0),
        )  # fmt: skip
        speed = solution.ys[-1, 1]
        return jnp.where(arrived(solution.result), speed, jnp.nan) if cure else speed

    landed = lambda speed: abs(speed / -np.sqrt(2 * 9.8 * 10) - 1) < 0.5
    return landed(solve()), True, lambda: landed(solve(cure=True))


vary("an event, and successful alone", "right", "falls")(
    lambda: falls(lambda result: result == diffrax.RESULTS.successful)
)
vary("an event, and is_okay", "right", "holds")(lambda: falls(diffrax.is_okay))


@vary("a sweep under vmap", "silent", "holds")
def sweep():
    rates = np.array([1.0, 100.0, 1000.0])
    run = lambda f: lambda: jax.vmap(f)(jnp.asarray(rates)).ravel()
    return (
        run(lambda rate: solve(rate).ys),
        np.concatenate([by_scipy(rate) for rate in rates]),
        run(state_or_nan),
    )


@vary("a loss that is too good, marked by NaN", "silent", "holds")
def loss():
    of = lambda state: jnp.sum((state - 0.78) ** 2)
    cured = lambda: of(state_or_nan(FAST, 256))
    return lambda: of(solve(FAST).ys), np.nan, cured


@vary("a solution that runs to infinity is marked", "silent", "holds")
def infinite():
    field = lambda t, y, rate: rate * y**2
    options = {"field": field, "start": 1.0, "end": 2.0}
    return (
        lambda: solve(1.0, **options).ys,
        [np.nan],
        lambda: state_or_nan(1.0, 256, **options),
    )


@vary("a solver for stiff equations, in float64", "silent", "holds")
def wide():
    jax.config.update("jax_enable_x64", True)  # until the end, so this row is the last
    return three(cure=lambda rate: state_or_nan(rate, 256, solver=diffrax.Kvaerno5()))
