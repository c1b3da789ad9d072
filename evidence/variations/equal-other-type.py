"""Variations of *Settings that differ only in a number's type share a program*.

The second setting's answer.
"""

import dataclasses
import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from evidence.variation import vary

COUNT = jnp.int32(100_000)


@dataclasses.dataclass(frozen=True)
class Setting:
    order: float


@dataclasses.dataclass(frozen=True)
class Floats:
    order: float

    def __post_init__(self):
        object.__setattr__(self, "order", float(self.order))


class Module(eqx.Module):
    order: float = eqx.field(static=True)


class FloatModule(eqx.Module):
    order: float = eqx.field(static=True, converter=float)


def three(make, cured, first=2, second=2.0, exact=1e10, jit=None, use=None):
    use = use or (lambda setting, count: count**setting.order)

    def answer(make):
        jitted = (jit or functools.partial(jax.jit, static_argnums=0))(lambda s, c: use(s, c))
        jitted(make(first), COUNT)
        return float(jitted(make(second), COUNT))

    return lambda: answer(make), exact, lambda: answer(cured)


def sign(setting, count):
    return jnp.copysign(1.0, setting.order)


vary("a dataclass", "silent", "holds")(lambda: three(Setting, Floats))
vary("a tuple", "silent", "holds")(
    lambda: three(lambda n: (n,), lambda n: (float(n),), use=lambda s, c: c ** s[0])
)
vary("the float first", "right", "holds")(lambda: three(Setting, Floats, 2.0, 2))
vary("a bare number", "right", "holds")(lambda: three(lambda n: n, float, use=lambda s, c: c**s))
vary("a static field of a module, plain jit", "silent", "holds")(
    lambda: three(Module, FloatModule, jit=jax.jit)
)
vary("looks right: float() for 0.0 and -0.0", "silent", "falls")(
    lambda: three(Setting, Floats, 0.0, -0.0, -1.0, use=sign)
)
vary("bare zeros", "silent", "-")(
    lambda: (
        *three(lambda n: n, None, 0.0, -0.0, -1.0, use=lambda s, c: jnp.copysign(1.0, s))[:2],
        None,
    )
)
vary("np.float32 and a float", "right", "holds")(
    lambda: three(Setting, Floats, np.float32(2.0), 2.0)
)


@vary("a method by keyword, True after 1", "silent", "holds")
def _():
    @dataclasses.dataclass(frozen=True)
    class Flag:
        on: int

    @dataclasses.dataclass(frozen=True)
    class IntFlag:
        on: int

        def __post_init__(self):
            object.__setattr__(self, "on", int(self.on))

    class Counter:
        @functools.partial(jax.jit, static_argnames=("self", "flag"))
        def total(self, x, flag):
            return (x + flag.on).sum()

    def second(flag):
        counter, x = Counter(), jnp.array([True, True])
        counter.total(x, flag=flag(True))
        return counter.total(x, flag=flag(1))

    # True + True is True, counted once for each element, and True + 1 is 2.
    return lambda: second(Flag), 4, lambda: second(IntFlag)


@vary("a tuple of orders in the body of a scan", "silent", "holds")
def _():
    def powers(convert):
        @dataclasses.dataclass(frozen=True)
        class Powers:
            orders: tuple

            def __post_init__(self):
                object.__setattr__(self, "orders", tuple(map(convert, self.orders)))

            def __call__(self, carry, count):
                return carry, sum(count**order for order in self.orders) * 1.0

        return Powers

    def second(make):
        kept = make((2, 1)), make((2.0, 1.0))
        return [jax.lax.scan(one, None, jnp.int32([100_000]))[1] for one in kept][1]

    return lambda: second(powers(lambda order: order)), [1.00001e10], lambda: second(powers(float))


@vary("64 bits", "silent", "holds")
def _():
    jax.config.update("jax_enable_x64", True)  # until the end, so this row is the last
    return three(Setting, Floats)
