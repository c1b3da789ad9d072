"""Variations of *The gradient of a solve takes many times the solve*: computed vector fields."""

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from evidence.variation import vary

RATES, CALLS = np.float32([1.0, 0.5]), []
USUAL, DIRECT = diffrax.RecursiveCheckpointAdjoint(), diffrax.DirectAdjoint()
EULER = diffrax.Euler()


def decay(t, y, rates):
    jax.debug.callback(lambda: CALLS.append(None))
    return -rates[0] * y + rates[1] * jnp.sin(t)


def last(rates, adjoint=USUAL, solver=EULER, y0=1.0, **options):
    options = {"max_steps": 4096, **options}
    solution = diffrax.diffeqsolve(
        diffrax.ODETerm(decay), solver, 0.0, 2.0, 0.02, y0, rates, adjoint=adjoint, **options
    )
    return jnp.sum(solution.ys[-1])


def count(derivative, jit=jax.jit, **options):
    """How often the vector field was computed."""

    def run():
        function = jit(derivative(lambda rates: last(rates, **options)))
        CALLS.clear()
        jax.block_until_ready(function(RATES))
        jax.effects_barrier()
        return len(CALLS)

    return run


same = lambda function: function


def three(**options):
    return (
        count(jax.grad, **options),
        count(same, **options),
        count(jax.jacfwd, adjoint=DIRECT, **options),
    )


vary("as on the page", "silent", "holds")(three)
vary("a method of high order", "silent", "holds")(lambda: three(solver=diffrax.Tsit5()))
vary("an adaptive step", "silent", "holds")(
    lambda: three(
        solver=diffrax.Tsit5(), stepsize_controller=diffrax.PIDController(rtol=1e-4, atol=1e-6)
    )
)
vary("a vector", "silent", "holds")(lambda: three(y0=jnp.ones(3)))
vary("filter_jit", "silent", "holds")(lambda: three(jit=eqx.filter_jit))
vary("fewer max_steps", "silent", "holds")(lambda: three(max_steps=110))
vary("jvp in one direction", "silent", "holds")(
    lambda: (
        count(jax.grad),
        count(same),
        count(lambda f: lambda r: jax.jvp(f, (r,), (r,))[1], adjoint=DIRECT),
    )
)
vary("looks right: grad with DirectAdjoint", "silent", "falls")(
    lambda: (count(jax.grad), count(same), count(jax.grad, adjoint=DIRECT))
)


@vary("twice as often: as many checkpoints as steps", "silent", "holds")
def _():
    keep = diffrax.RecursiveCheckpointAdjoint(checkpoints=110)
    return count(jax.grad), lambda: 2 * count(same)(), count(jax.grad, adjoint=keep)


@vary("looks right: a few more checkpoints", "silent", "falls")
def _():
    some = diffrax.RecursiveCheckpointAdjoint(checkpoints=20)
    return count(jax.grad), lambda: 2 * count(same)(), count(jax.grad, adjoint=some)


vary("forward through the default", "silent", "TypeError")(
    lambda: (count(jax.grad), count(same), count(jax.jacfwd))
)
vary("the values", "right", "holds")(
    lambda: (
        lambda: jax.grad(last)(RATES),
        jax.grad(lambda r: last(r, adjoint=DIRECT))(RATES),
        lambda: jax.jacfwd(lambda r: last(r, adjoint=DIRECT))(RATES),
    )
)
