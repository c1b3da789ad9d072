"""Variations of *A jitted function keeps the old value of a global*: the second cost."""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import lax

from evidence.variation import vary

price, prices = 2.0, {"now": 2.0}


def three(make, cured, old=2.0, new=5.0, exact=15.0, again=False):
    """Make a function of the amount, change the price, and call it again (or make it again)."""

    def second(make):
        global price
        price = prices["now"] = old
        cost = make()
        cost(jnp.float32(3.0))
        price = prices["now"] = new
        cost = make() if again else cost
        return float(cost(jnp.float32(3.0)))

    return lambda: second(make), exact, lambda: second(cured)


def of_global(amount):
    return price * amount


def of_dict(amount):
    return prices["now"] * amount


def at(price, amount):
    return price * amount


def passed():
    jitted = jax.jit(lambda price, amount: price * amount)
    return lambda amount: jitted(price, amount)


def static():
    jitted = jax.jit(at, static_argnums=0)
    return lambda amount: jitted(price, amount)


def scanned():
    body = lambda total, one: (total + price * one, None)
    return lambda amount: lax.scan(body, 0.0, jnp.ones(3))[0]


def scanned_with_price():
    body = lambda total, one: ((total[0] + total[1] * one, total[1]), None)
    return lambda amount: lax.scan(body, (0.0, price), jnp.ones(3))[0][0]


def defined():
    def cost(amount):
        return price * amount

    return jax.jit(cost)


JITTED = jax.jit(of_global)
vary("a number", "silent", "holds")(lambda: three(lambda: jax.jit(lambda a: of_global(a)), passed))
vary("a dict", "silent", "holds")(lambda: three(lambda: jax.jit(lambda a: of_dict(a)), passed))
vary("an array", "silent", "holds")(
    lambda: three(defined, passed, jnp.float32(2.0), jnp.float32(5.0))
)
vary("eqx.filter_jit", "silent", "holds")(
    lambda: three(lambda: eqx.filter_jit(lambda a: price * a), passed)
)
vary("a scan without jit", "silent", "holds")(lambda: three(scanned, scanned_with_price))
vary("vmap", "right", "holds")(
    lambda: three(lambda: lambda a: jax.vmap(of_global)(a[None])[0], passed)
)
vary("no jit", "right", "holds")(lambda: three(lambda: of_global, passed))
vary("the cure is a static argument", "silent", "holds")(lambda: three(defined, static))
vary("the cure is a function defined again", "right", "holds")(
    lambda: three(defined, defined, again=True)
)
vary("looks right: jit again", "silent", "falls")(
    lambda: three(lambda: JITTED, lambda: jax.jit(of_global), again=True)
)
vary("looks right: a partial with the old price", "silent", "falls")(
    lambda: three(defined, lambda: jax.jit(functools.partial(at, price)))
)


@vary("an attribute of the class, in a scan", "silent", "holds")
def _():
    class Tariff:
        price = 2.0

    @jax.jit
    def bill(amounts):
        return lax.scan(lambda total, x: (total + Tariff.price * x, None), 0.0, amounts)[0]

    @jax.jit
    def bill_at(amounts, *, price):
        return lax.scan(lambda total, x: (total + price * x, None), 0.0, amounts)[0]

    def second():
        Tariff.price = 2.0
        bill(jnp.arange(3.0))
        Tariff.price = 5.0
        return bill(jnp.arange(3.0))

    return second, 15.0, lambda: bill_at(jnp.arange(3.0), price=5.0)


def _flag(static):
    setting = {"log": False}

    @jax.jit
    def scale(x):
        return jnp.log(x) if setting["log"] else x

    @functools.partial(jax.jit, static_argnames=static)
    def scale_as(x, log):
        return jnp.log(x) if log else x

    def second():
        scale(2.0)
        setting["log"] = True
        return scale(2.0)

    return second, 0.6931472, lambda: [scale_as(2.0, log=log) for log in (False, True)][1]


vary("a flag, passed as an argument", "silent", "TracerBoolConversionError")(lambda: _flag(()))
vary("a flag, passed as a static argument", "silent", "holds")(lambda: _flag(("log",)))
