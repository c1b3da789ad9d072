"""Variations of *A stiff equation takes thousands of steps*: are they many?"""

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from scipy.integrate import solve_ivp

from evidence.variation import vary

jax.config.update("jax_disable_most_optimizations", True)


def reactions(t, y, args=None, np=jnp):
    a, b, c = y
    gone, back, made = 0.04 * a, 1e4 * b * c, 3e7 * b * b
    return np.stack([back - gone, gone - back - made, made])


def pulled(t, y, args=None, np=jnp):
    return 1e4 * (np.cos(t) - y)


def heat(t, y, args=None, np=jnp):
    between = y[2:] - 2 * y[1:-1] + y[:-2]
    return np.pad(between * len(y) ** 2, (1, 1))


def turning(t, y, args=None, np=jnp):
    return np.stack([y[1], -y[0]])


def steps(solver, field=reactions, start=(1.0, 0.0, 0.0), end=40.0, rtol=1e-4, way=None):
    run = lambda start: diffrax.diffeqsolve(
        diffrax.ODETerm(field), solver, 0.0, end, None, start, max_steps=4000,
        stepsize_controller=diffrax.PIDController(rtol=rtol, atol=1e-6 * rtol / 1e-4),
        throw=False,
    ).stats["num_steps"]  # fmt: skip
    return int((way or (lambda f: f))(run)(jnp.array(start)))


def by_scipy(field=reactions, start=(1.0, 0.0, 0.0), end=40.0, rtol=1e-4, way=None):
    flow = lambda t, y: field(t, y, np=np)
    return solve_ivp(flow, (0, end), start, "LSODA", rtol=rtol, atol=1e-8).t.size


def three(wrong=None, cure=None, rtol=None, **options):
    """Whether each takes more than ten times as many steps as SciPy, which changes its solver."""
    many = lambda solver, **more: steps(solver, **options, **more) > 10 * by_scipy(**options)
    looser = {"rtol": rtol} if rtol else {}
    return (
        lambda: many(wrong or diffrax.Tsit5()),
        False,
        lambda: many(cure or diffrax.Kvaerno5(), **looser),
    )


ROD = tuple(np.sin(np.linspace(0, np.pi, 61)).tolist())
vary("as on the page", "silent", "holds")(lambda: three())
vary("another explicit solver", "silent", "holds")(lambda: three(diffrax.Dopri5()))
vary("looks right: a solver of high order", "silent", "falls")(lambda: three(cure=diffrax.Dopri8()))
vary("looks right: a looser tolerance", "silent", "falls")(
    lambda: three(cure=diffrax.Tsit5(), rtol=3e-4)
)
vary("under jit", "silent", "holds")(lambda: three(way=jax.jit))
vary("under filter_jit", "silent", "holds")(lambda: three(way=eqx.filter_jit))
vary("pulled to a rhythm, in float32", "silent", "falls")(
    lambda: three(field=pulled, start=(0.0,), end=5.0)
)
vary("the heat of a rod on a fine grid", "silent", "holds")(
    lambda: three(field=heat, start=ROD, end=1.0)
)
vary("a circle is not stiff", "right", "holds")(
    lambda: three(field=turning, start=(1.0, 0.0), end=10.0)
)


@vary("pulled to a rhythm, in float64", "silent", "holds")
def wide():
    jax.config.update("jax_enable_x64", True)  # until the end, so this row is the last
    return three(field=pulled, start=(0.0,), end=5.0)
