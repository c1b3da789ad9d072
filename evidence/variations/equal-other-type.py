"""Variations of *Settings that differ only in a number's type share a program*.

The second setting's answer.
"""

import dataclasses
import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from tools.variations import vary

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


@vary("64 bits", "silent", "holds")
def _():
    jax.config.update("jax_enable_x64", True)  # until the end, so this row is the last
    return three(Setting, Floats)
