"""Variations of *A jitted method keeps the old attribute*.

The answer after the attribute changed.
"""

import functools
import gc

import equinox as eqx
import jax
import jax.numpy as jnp

from tools.variations import vary


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
