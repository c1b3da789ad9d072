"""Variations of *A jitted method keeps the old attribute*.

The answer after the attribute changed.
"""

import functools
import gc

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import lax

from evidence.variation import vary


class Plain:
    def __init__(self, rate):
        self.rate = rate

    def after(self, hours):
        return self.rate * hours


class Decorated(Plain):
    after = functools.partial(jax.jit, static_argnums=0)(Plain.after)


class Equal(Decorated):
    def __hash__(self):
        return hash(self.rate)

    def __eq__(self, other):
        return type(self) is type(other) and self.rate == other.rate


class Cured:
    def __init__(self, rate):
        self.rate = rate

    def after(self, hours):
        return scaled(self.rate, hours)


@jax.jit
def scaled(rate, hours):
    return rate * hours


def changed(kind, jit=None, again=False, hold=True, value=2.0):
    thing = kind(0.5)
    call = jit(thing.after) if jit else thing.after
    call(1.0)
    thing.rate = value
    if again:
        first = call if hold else None
        del call
        gc.collect()
        call = jit(thing.after)
        return float(call(1.0)) + 0.0 * (first is None)
    return float(call(1.0))


def three(kind, value=2.0, **options):
    return lambda: changed(kind, value=value, **options), value, lambda: changed(Cured, value=value)


vary("self is static", "silent", "holds")(lambda: three(Decorated))
vary("the bound method is jitted", "silent", "holds")(lambda: three(Plain, jit=jax.jit))
vary("jitted again, the first one lives", "silent", "holds")(
    lambda: three(Plain, jit=jax.jit, again=True)
)
vary("jitted again, the first one is gone", "right", "holds")(
    lambda: three(Plain, jit=jax.jit, again=True, hold=False)
)
vary("eqx.filter_jit of the bound method", "silent", "holds")(
    lambda: three(Plain, jit=eqx.filter_jit)
)
# Silent with JAX 0.10.2.
vary("looks right: hash and eq by the attribute", "right", "holds")(lambda: three(Equal))
vary("the attribute is an array", "silent", "holds")(
    lambda: three(Decorated, value=jnp.float32(3.0))
)
vary("no jit", "right", "holds")(lambda: three(Plain))


@vary("a step jitted in __init__, an option changed", "silent", "holds")
def _():
    class Sim:
        def __init__(self):
            self.options = {"dt": 0.1}
            self.step = jax.jit(self.move)

        def move(self, x, *, n):
            return lax.fori_loop(0, n, lambda _, x: x - self.options["dt"] * x, x)

    class Passing(Sim):
        def __init__(self):
            super().__init__()
            run = lambda x, n, dt: lax.fori_loop(0, n, lambda _, x: x - dt * x, x)
            jitted = jax.jit(run)
            self.step = lambda x, *, n: jitted(x, n, self.options["dt"])

    def second(make):
        sim = make()
        sim.step(1.0, n=3)
        sim.options["dt"] = 0.5
        return sim.step(1.0, n=3)

    return lambda: second(Sim), 0.125, lambda: second(Passing)


@vary("a counter that a static self adds to", "silent", "holds")
def _():
    class Counter:
        calls = 0

        @functools.partial(jax.jit, static_argnames="self")
        def next(self, x):
            self.calls += 1
            return x + self.calls

    class Pure(Counter):
        def next(self, x):
            self.calls, x = self._next(self.calls, x)
            return x

        @staticmethod
        @jax.jit
        def _next(calls, x):
            return calls + 1, x + calls + 1

    third = lambda counter: [counter.next(0.0) for _ in range(3)][2]
    return lambda: third(Counter()), 3.0, lambda: third(Pure())
