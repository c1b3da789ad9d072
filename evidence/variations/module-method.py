"""Variations of *A module's method as the body of a loop: unhashable tracer*: ten steps."""

import dataclasses
import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental.ode import odeint

from evidence.variation import vary


class Decay(eqx.Module):
    rate: jax.Array

    def step(self, *args):
        return args[-1] * (1.0 - self.rate)


class StaticDecay(Decay):
    rate: float = eqx.field(static=True)


@dataclasses.dataclass(frozen=True)
class Frozen:
    rate: jax.Array
    step = Decay.step


def above(level):
    return level > 0.7


def looped(step):
    return lax.while_loop(above, step, 2.0)


def fori(step):
    return lax.fori_loop(0, 10, step, 2.0)


def cond(step):
    return lax.cond(True, step, step, 2.0 * 0.9**9)


def checkpointed(step):
    return jax.checkpoint(step)(2.0 * 0.9**9)


def mapped(step):
    return lax.map(step, jnp.full(1, 2.0 * 0.9**9))[0]


def method(rate):
    return Decay(rate).step


def by_lambda(rate):
    decay = Decay(rate)
    return lambda *args: decay.step(*args)


def by_partial(rate):
    return functools.partial(Decay.step, Decay(rate))


def jax_partial(rate):
    return jax.tree_util.Partial(Decay.step, Decay(rate))


def eqx_partial(rate):
    return eqx.Partial(Decay.step, Decay(rate))


def frozen(rate):
    return Frozen(rate).step


def jitted_method(rate):
    return jax.jit(Decay(rate).step)


def filtered(rate):
    return eqx.filter_jit(Decay(rate).step)


def three(loop=looped, got=method, cured=by_lambda, outer=jax.jit):
    run = lambda make: outer(lambda rate: loop(make(rate)))(jnp.float32(0.1))
    return lambda: run(got), 2.0 * 0.9**10, lambda: run(cured)


def called(function):
    return function


def known(rate):
    return StaticDecay(0.1).step


# Up to JAX 0.4.35 a warning, and not an error.
vary("while_loop, under jit", "TypeError", "holds", then=("right", "holds"))(lambda: three())
vary("fori_loop", "TypeError", "holds", then=("right", "holds"))(lambda: three(fori))
vary("cond", "TypeError", "holds", then=("right", "holds"))(lambda: three(cond))
vary("checkpoint", "TypeError", "holds", then=("right", "holds"))(lambda: three(checkpointed))
vary("lax.map only calls", "right", "holds")(lambda: three(mapped))
vary("no jit", "TypeError", "holds")(lambda: three(outer=called))
vary("eqx.filter_jit", "TypeError", "holds", then=("right", "holds"))(
    lambda: three(outer=eqx.filter_jit)
)
vary("the rate is static", "right", "holds")(lambda: three(got=known))
vary("a method of a frozen dataclass", "right", "holds")(lambda: three(got=frozen))
vary("the cure is functools.partial", "TypeError", "holds", then=("right", "holds"))(
    lambda: three(cured=by_partial)
)
vary("the cure is jax.tree_util.Partial", "TypeError", "holds", then=("right", "holds"))(
    lambda: three(cured=jax_partial)
)
vary("looks right: eqx.Partial", "TypeError", "TypeError", then=("right", "holds"))(
    lambda: three(cured=eqx_partial)
)
vary(
    "looks right: jax.jit of the method",
    "TypeError",
    "TypeError",
    then=("right", "TracerBoolConversionError"),
)(lambda: three(cured=jitted_method))
vary(
    "looks right: eqx.filter_jit of the method", "TypeError", "TypeError", then=("right", "holds")
)(lambda: three(cured=filtered))


@vary("a method as the field of odeint", "TypeError", "holds")
def _():
    class Decay(eqx.Module):
        rate: jax.Array

        def field(self, level, time):
            return -self.rate * level

    decay = Decay(jnp.float32(2.0))
    solve = lambda field: odeint(field, y0=jnp.float32(1.0), t=jnp.array([0.0, 1.0]))[1]
    lambda_ = lambda level, time: decay.field(level, time)
    return lambda: solve(decay.field), np.exp(-2.0), lambda: solve(lambda_)


@vary("two methods of a layer in switch, under vmap", "TypeError", "holds")
def _():
    class Layer(eqx.Module):
        weight: jax.Array

        def double(self, x):
            return 2 * self.weight * x

        def square(self, x):
            return (self.weight * x) ** 2

    layer = Layer(jnp.float32(3.0))

    def run(wrap):
        branches = [wrap(layer.double), wrap(layer.square)]
        return jax.vmap(lambda i, x: lax.switch(i, branches, x))(jnp.arange(2), jnp.ones(2))

    return lambda: run(lambda f: f), [6.0, 9.0], lambda: run(lambda f: lambda x: f(x))
