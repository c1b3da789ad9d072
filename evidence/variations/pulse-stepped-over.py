"""Variations of *A pulse in a differential equation has no effect*: amounts in the blood."""

import diffrax
import jax
import jax.numpy as jnp
import numpy as np

from evidence.variation import vary

jax.config.update("jax_disable_most_optimizations", True)
BEGINS, ENDS, RATE, DECAY = 50.0, 50.5, 20.0, 0.5
HOURS = np.linspace(45.0, 60.0, 16)


def blood(t, y, args):
    return jnp.where((t > BEGINS) & (t < ENDS), RATE, 0.0) - DECAY * y


def jumps(controller):
    if hasattr(diffrax, "ClipStepSizeController"):
        return diffrax.ClipStepSizeController(controller, jump_ts=jnp.array([BEGINS, ENDS]))
    return diffrax.PIDController(rtol=1e-6, atol=1e-6, jump_ts=jnp.array([BEGINS, ENDS]))


def solve(cure=None, solver=None, dt0=None, times=HOURS, field=blood, max_steps=None, **tolerances):
    tolerances = {"rtol": 1e-6, "atol": 1e-6, **tolerances}
    controller = diffrax.PIDController(**tolerances)
    solution = diffrax.diffeqsolve(
        diffrax.ODETerm(field), solver or diffrax.Tsit5(), 0.0, 100.0, dt0, jnp.array(0.0),
        stepsize_controller=cure(controller) if cure else controller,
        saveat=diffrax.SaveAt(ts=times), max_steps=max_steps,
    )  # fmt: skip
    return solution.ys


def by_hand(hours=HOURS, rate=RATE):
    given = rate / DECAY * (1 - np.exp(-DECAY * (np.clip(hours, BEGINS, ENDS) - BEGINS)))
    return given * np.exp(-DECAY * np.clip(hours - ENDS, 0.0, None))


def three(cure=jumps, **options):
    return lambda: solve(**options), by_hand(), lambda: solve(cure, **options)


def parts(hours=HOURS, rate=RATE):
    def part(start, end, amount, times, given):
        field = lambda t, y, args: given - DECAY * y
        return diffrax.diffeqsolve(
            diffrax.ODETerm(field), diffrax.Tsit5(), start, end, None, amount,
            stepsize_controller=diffrax.PIDController(rtol=1e-6, atol=1e-6),
            saveat=diffrax.SaveAt(ts=times),
        ).ys  # fmt: skip

    before, during, after = np.split(hours, np.searchsorted(hours, [BEGINS, ENDS]))
    first = part(0.0, BEGINS, 0.0, np.append(before, BEGINS), 0.0)
    second = part(BEGINS, ENDS, first[-1], np.append(during, ENDS), rate)
    return jnp.concatenate([first[:-1], second[:-1], part(ENDS, 100.0, second[-1], after, 0.0)])


vary("as on the page; from jump to jump", "silent", "holds")(
    lambda: (lambda: solve(), by_hand(), parts)
)
vary("the jumps are named", "silent", "holds")(lambda: three())
vary("another solver", "silent", "holds")(lambda: three(solver=diffrax.Dopri5()))
vary("an implicit solver", "silent", "holds")(lambda: three(solver=diffrax.Kvaerno3()))
vary("a short first step", "silent", "holds")(lambda: three(dt0=0.01))
vary("other times to save at", "silent", "holds")(
    lambda: (
        lambda: solve(times=HOURS[5:]), by_hand(HOURS[5:]), lambda: solve(jumps, times=HOURS[5:])
    )
)  # fmt: skip
vary("looks right: a smaller tolerance", "silent", "falls")(
    lambda: (lambda: solve(), by_hand(), lambda: solve(rtol=1e-7, atol=1e-7))
)
vary("looks right: a short first step", "silent", "falls")(
    lambda: (lambda: solve(), by_hand(), lambda: solve(dt0=0.01))
)
vary("dtmax shorter than the pulse", "silent", "holds")(
    lambda: (lambda: solve(), by_hand(), lambda: solve(dtmax=0.2))
)

RAISES = {"then": ("silent", "XlaRuntimeError")}
vary("dtmax whose steps end near the jump, in float32", "silent", "EquinoxRuntimeError", **RAISES)(
    lambda: (lambda: solve(), by_hand(), lambda: solve(dtmax=0.1, dt0=0.1, max_steps=4096))
)
vary("from jump to jump, all times before the end", "right", "ValueError")(
    lambda: (
        lambda: solve(times=HOURS[:5]), by_hand(HOURS[:5]), lambda: parts(HOURS[:5])
    )
)  # fmt: skip


@vary("as a parameter, under vmap", "silent", "holds")
def lanes():
    rates = np.array([10.0, 20.0])

    def of(rate, cure=None):
        field = lambda t, y, args: jnp.where((t > BEGINS) & (t < ENDS), rate, 0.0) - DECAY * y
        return solve(cure, field=field)

    return (
        lambda: jax.vmap(of)(rates),
        np.stack([by_hand(rate=rate) for rate in rates]),
        lambda: jax.vmap(lambda rate: of(rate, jumps))(rates),
    )


@vary("the gradient by the rate is zero, under jit", "silent", "holds")
def gradient():
    def of(cure):
        def total(rate):
            field = lambda t, y, args: jnp.where((t > BEGINS) & (t < ENDS), rate, 0.0) - DECAY * y
            return diffrax.diffeqsolve(
                diffrax.ODETerm(field), diffrax.Tsit5(), 0.0, 100.0, None, jnp.array(0.0),
                stepsize_controller=cure(diffrax.PIDController(rtol=1e-6, atol=1e-6)),
                saveat=diffrax.SaveAt(ts=HOURS),
            ).ys.sum()  # fmt: skip

        return lambda: jax.jit(jax.grad(total))(RATE)

    return of(lambda same: same), by_hand(rate=1.0).sum(), of(jumps)


@vary("64 bits, dtmax whose steps end near the jump", "silent", "holds")
def _():
    jax.config.update("jax_enable_x64", True)  # until the end, so this row is the last
    return lambda: solve(), by_hand(), lambda: solve(dtmax=0.1, dt0=0.1, max_steps=4096)
