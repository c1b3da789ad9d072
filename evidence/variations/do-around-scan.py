"""Variations of *A `do` around `scan` or `cond` changes nothing*: the levels without rain."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro import handlers
from numpyro.contrib.control_flow import cond, scan

from evidence.variation import vary

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


@vary("a class, two sites, a keyword, a typed key", "silent", "holds")
def _():
    class Stock:
        def week(self, stock, _):
            bought = numpyro.sample("bought", dist.Poisson(5.0))
            sold = numpyro.sample("sold", dist.Poisson(4.0))
            return stock + bought - sold, stock

        def __call__(self):
            return scan(self.week, 10.0, None, length=4)[0]

    stock = Stock()
    given = {"bought": jnp.full(4, 3.0), "sold": jnp.full(4, 1.0)}

    def inside():
        week = lambda stock_, x: handlers.do(stock.week, data=x)(stock_, None)
        return scan(week, 10.0, given)[0]

    run = lambda model: handlers.seed(model, jax.random.key(3))()
    return lambda: run(handlers.do(stock, data=given)), 18.0, lambda: run(inside)


@vary("a loop within the loop", "silent", "holds")
def _():
    def hour(level, given):
        step = lambda level, _: (level + numpyro.sample("rain", dist.Exponential(1.0)), None)
        step = step if given is None else handlers.do(step, {"rain": given})
        return step(level, None)

    def river(given=None):
        day = lambda level, rain: (scan(hour, level, rain, length=3)[0], None)
        return scan(day, 0.0, given, length=2)[0]

    rain = jnp.arange(6.0).reshape(2, 3)
    run = lambda model: jax.jit(handlers.seed(model, 0))()
    return lambda: run(handlers.do(river, {"rain": rain})), 15.0, lambda: run(lambda: river(rain))


@vary("64 bits", "silent", "holds")
def _():
    jax.config.update("jax_enable_x64", True)  # until the end, so this row is the last
    return three()
