"""Variations of *A loop compiles again at every call*: compilations after the first call."""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import lax

from evidence.variation import vary

compiled = []


def listen(event, seconds, **details):
    if event.endswith("backend_compile_duration"):
        compiled.append(event)


jax.monitoring.register_event_duration_secs_listener(listen)
RATE = jnp.float32(0.1)


def three(function, cured=None, exact=0, calls=5):
    def compilations(function):
        function(RATE)
        compiled.clear()
        for _ in range(calls):
            function(RATE)
        return len(compiled)

    cured = cured or jax.jit(function)
    return lambda: compilations(function), exact, lambda: compilations(cured)


def not_done(state):
    return state[0] < 10


def step(state):
    return state[0] + 1, state[1] * (1.0 - state[2]), state[2]


def in_carry(rate):
    return lax.while_loop(not_done, step, (0, 2.0, rate))[1]


def drain(rate):
    return lax.while_loop(not_done, lambda s: (s[0] + 1, s[1] * (1.0 - rate)), (0, 2.0))[1]


def scanned(rate):
    return lax.scan(lambda level, _: (level * (1.0 - rate), None), 2.0, None, length=10)[0]


def fori(rate):
    return lax.fori_loop(0, 10, lambda _, level: level * (1.0 - rate), 2.0)


def mapped(rate):
    return lax.map(lambda level: level * (1.0 - rate), jnp.ones(3))


def cond(rate):
    return lax.cond(True, lambda: 1.0 - rate, lambda: rate)


def by_partial(rate):
    return lax.while_loop(not_done, functools.partial(step), (0, 2.0, rate))[1]


def jit_inside(rate):
    return jax.jit(lambda rate: drain(rate))(rate)


def jit_of_body(rate):
    body = jax.jit(lambda s: (s[0] + 1, s[1] * (1.0 - rate)))
    return lax.while_loop(not_done, body, (0, 2.0))[1]


@functools.cache
def body_for(rate):
    return lambda s: (s[0] + 1, s[1] * (1.0 - rate))


def cached_body(rate):
    return lax.while_loop(not_done, body_for(float(rate)), (0, 2.0))[1]


JITTED = jax.jit(step)


def jitted_once(rate):
    return lax.while_loop(not_done, JITTED, (0, 2.0, rate))[1]


vary("while_loop", "silent", "holds")(lambda: three(drain))
vary("thirty calls", "silent", "holds")(lambda: three(drain, calls=30))
vary("scan", "silent", "holds")(lambda: three(scanned))
vary("fori_loop", "silent", "holds")(lambda: three(fori))
vary("lax.map", "silent", "holds")(lambda: three(mapped))
vary("cond", "silent", "holds")(lambda: three(cond))
vary("a partial", "silent", "holds")(lambda: three(by_partial))
vary("vmap", "right", "holds")(
    lambda: three(lambda rate: jax.vmap(lambda x: x * rate)(jnp.ones(3)))
)
vary("the rate in the carry", "silent", "holds")(lambda: three(drain, in_carry))
vary("the cure is eqx.filter_jit", "silent", "holds")(lambda: three(drain, eqx.filter_jit(drain)))
vary("a body that is jitted once", "silent", "holds")(lambda: three(drain, jitted_once))
vary("one body for each rate, kept", "silent", "holds")(lambda: three(drain, cached_body))
vary("looks right: jit of a lambda inside", "silent", "falls")(lambda: three(drain, jit_inside))
vary("looks right: jit around the body", "silent", "falls")(lambda: three(drain, jit_of_body))


def one(level):
    return level * 0.9


def day(level, rain):
    return level * 0.9 + rain, None


def at_rest(rate):
    return lax.scan(day, rate, jnp.ones(3))[0]


vary("looks right: lax.map of a function that is defined once", "silent", "falls")(
    lambda: three(mapped, lambda rate: lax.map(one, rate * jnp.ones(3)))
)
vary("looks right: a gradient through a step that is defined once", "silent", "falls")(
    lambda: three(jax.grad(scanned), jax.grad(at_rest))
)
vary("the same, with jit inside of grad", "silent", "holds")(
    lambda: three(jax.grad(scanned), jax.grad(jax.jit(scanned)))
)


def _count(function, *arguments):
    """How often the compiler runs in five calls after the first."""
    events = []
    listen = lambda event, *_, **__: events.append(event)
    function(*arguments)
    jax.monitoring.register_event_duration_secs_listener(listen)
    for _ in range(5):
        function(*arguments)
    return sum(event.endswith("backend_compile_duration") for event in events)


@vary("a partial as a scan's step; jit is outermost", "silent", "holds")
def _():
    def step(level, _, rate):
        return level * (1 - rate), level

    def drain(level, rate=0.1):
        return lax.scan(functools.partial(step, rate=rate), level, None, length=4)[0]

    return lambda: _count(drain, 2.0), 0, lambda: _count(jax.jit(drain), 2.0)


@vary("looks right: jit of a method at each call", "silent", "falls")
def _():
    class Tank:
        rate = 0.1

        def body(self, _, level):
            return level * (1 - self.rate)

        def run(self, level):
            return lax.fori_loop(0, 5, lambda i, level: self.body(i, level), level)

    tank = Tank()
    return lambda: _count(tank.run, 2.0), 0, lambda: _count(lambda x: jax.jit(tank.run)(x), 2.0)


@vary("jit of a function at each call; of a method, once", "silent", "holds")
def _():
    def drain(level):
        return lax.while_loop(lambda s: s > 1.0, lambda s: s * 0.9, level)

    class Tank:
        run = staticmethod(drain)

    kept = jax.jit(Tank().run)
    both = lambda level: (jax.jit(drain)(level), kept(level))
    return lambda: _count(drain, 2.0), 0, lambda: _count(both, 2.0)


@vary("the cure is filter_jit of a module's method", "silent", "holds")
def _():
    class Tank(eqx.Module):
        rate: float

        def run(self, level):
            return lax.while_loop(lambda s: s > 1.0, lambda s: s * (1 - self.rate), level)

    run = Tank(0.1).run
    return lambda: _count(run, 2.0), 0, lambda: _count(lambda x: eqx.filter_jit(run)(x), 2.0)


@vary("looks right: jit of a function made in the call", "silent", "falls")
def _():
    def drain(level):
        return lax.while_loop(lambda s: s > 1.0, lambda s: s * 0.9, level)

    def cured(level):
        @jax.jit
        def inner(level):
            return drain(level)

        return inner(level)

    return lambda: _count(drain, 2.0), 0, lambda: _count(cured, 2.0)


@vary("looks right: one body, and a lambda as the test", "silent", "falls")
def _():
    def body(state):
        return state[0] * (1 - state[1]), state[1]

    def drain(rate):
        run = lambda state: (state[0] * (1 - rate), rate)
        return lax.while_loop(lambda s: s[0] > 1.0, run, (2.0, rate))[0]

    def cured(rate):
        return lax.while_loop(lambda s: s[0] > 1.0, body, (2.0, rate))[0]

    return lambda: _count(drain, 0.1), 0, lambda: _count(cured, 0.1)
