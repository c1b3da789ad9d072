"""Variations of *A `do` around `scan` or `cond` changes nothing*: the levels without rain."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro import handlers
from numpyro.contrib.control_flow import cond, scan

from tools.variations import vary

jax.config.update("jax_disable_most_optimizations", True)


def day(level, _):
    level = level / 2 + numpyro.sample("rain", dist.Exponential(1.0))
    return level, level


def river(days):
    return scan(day, 8.0, jnp.arange(days))[1]


def around(days, amount, handler=handlers.do):
    return handler(lambda: river(days), {"rain": jnp.full(days, amount)})


def inside(days, amount, handler=handlers.do):
    step = lambda level, amount: handler(day, {"rain": amount})(level, None)
    return lambda: scan(step, 8.0, jnp.full(days, amount))[1]


def constant(days, amount):
    return lambda: scan(handlers.do(day, {"rain": amount}), 8.0, jnp.arange(days))[1]


def block(days, amount):
    def model():
        with handlers.do(data={"rain": jnp.full(days, amount)}):
            return river(days)

    return model


def plain_loop(days, amount):
    def model():
        level, levels = 8.0, []
        for place in range(days):
            level = level / 2 + numpyro.sample(f"rain{place}", dist.Exponential(1.0))
            levels.append(level)
        return jnp.stack(levels)

    return handlers.do(model, {f"rain{place}": amount for place in range(days)})


def three(got=around, cured=inside, days=5, amount=0.0, number=0, jit=True):
    exact, level = [], 8.0
    for _ in range(days):
        level = level / 2 + amount
        exact.append(level)

    def run(make):
        model = handlers.seed(make(days, amount), number)
        return (jax.jit(model) if jit else model)()

    return lambda: run(got), np.array(exact), lambda: run(cured)


def shower(_):
    return numpyro.sample("rain", dist.Exponential(1.0))


def branches(handler, within):
    chosen = handler(shower, {"rain": jnp.array(7.0)}) if within else shower
    model = lambda: cond(True, chosen, chosen, None)
    model = model if within else handler(model, {"rain": jnp.array(7.0)})
    return handlers.seed(model, 0)()


vary("five days", "silent", "holds")(lambda: three())
vary("another seed, eight days, without jit", "silent", "holds")(
    lambda: three(days=8, number=5, jit=False)
)
vary("one day", "silent", "holds")(lambda: three(days=1))
vary("another amount of rain", "silent", "holds")(lambda: three(amount=3.0))
vary("do as a block", "silent", "holds")(lambda: three(block))
vary("a plain loop", "right", "holds")(lambda: three(plain_loop))
vary("cond", "silent", "holds")(
    lambda: (lambda: branches(handlers.do, False), 7.0, lambda: branches(handlers.do, True))
)
vary("the cure is one number for all days", "silent", "holds")(lambda: three(cured=constant))
vary("the cure is substitute around", "silent", "holds")(
    lambda: three(cured=lambda *args: around(*args, handlers.substitute))
)
vary("the cure is condition around: the levels", "silent", "holds")(
    lambda: three(cured=lambda *args: around(*args, handlers.condition))
)


@vary("64 bits", "silent", "holds")
def _():
    jax.config.update("jax_enable_x64", True)  # until the end, so this row is the last
    return three()
