"""Variations of *eqx.filter_jit mistakes 2.0 for 2*: what the second number gives."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from evidence.variation import vary

COUNT = jnp.int32(2_000_000_000)


class Scale(eqx.Module):
    factor: float


def times(factor, count):
    return factor * count


def three(first=2, second=2.0, exact=4e9, function=times, cure=jnp.asarray, wrap=lambda n: n):
    """Call with the first number, then with the second; `cure` is applied to both."""

    def answer(change):
        jitted = eqx.filter_jit(lambda factor, count: function(factor, count))
        jitted(wrap(change(first)), COUNT)
        return float(jitted(wrap(change(second)), COUNT))

    return lambda: answer(lambda number: number), exact, lambda: answer(cure)


def sign(number, count):
    return jnp.copysign(1.0, number)


def of_module(scale, count):
    return scale.factor * count


def kind(number, count):
    return 1.0 if isinstance(number, bool) else 2.0


def plain(first, second):
    jitted = jax.jit(times)
    jitted(first, COUNT)
    return float(jitted(second, COUNT))


def inside(number, count):
    return float(number) * count if isinstance(number, float) else number * count


vary("2, then 2.0", "silent", "holds")(lambda: three())
vary("2.0, then 2", "silent", "holds")(lambda: three(2.0, 2, -294967296.0))
vary("2, then 3.0", "right", "holds")(lambda: three(2, 3.0, 6e9))
vary("in a tuple", "silent", "holds")(
    lambda: three(wrap=lambda n: (n,), function=lambda pair, count: pair[0] * count)
)
vary("a field of a module", "silent", "holds")(lambda: three(wrap=Scale, function=of_module))
vary("True, then 1, with an if on the type", "silent", "holds")(lambda: three(True, 1, 2.0, kind))
vary("0.0, then -0.0", "silent", "holds")(lambda: three(0.0, -0.0, -1.0, sign))
vary("NumPy's int32, then float32", "right", "holds")(lambda: three(np.int32(2), np.float32(2.0)))
vary("plain jax.jit, not static", "right")(lambda: (lambda: plain(2, 2.0), 4e9, None))
vary("float() at the caller", "silent", "holds")(lambda: three(cure=float))
vary("looks right: float() for 0.0 and -0.0", "silent", "falls")(
    lambda: three(0.0, -0.0, -1.0, sign, cure=float)
)
vary("looks right: a test of the type inside", "silent", "falls")(
    lambda: (*three()[:2], three(function=inside)[0])
)


@vary("a field of a module, int and float", "silent", "holds")
def _():
    class Scale(eqx.Module):
        factor: object

        @eqx.filter_jit
        def __call__(self, count):
            return self.factor * count

    count = jnp.int32(2_000_000_000)

    def second(make):
        Scale(make(2))(count)
        return float(Scale(make(2.0))(count))

    return lambda: second(lambda x: x), 4e9, lambda: second(jnp.asarray)


@vary("a keyword, True after 1, NumPy arrays", "silent", "holds")
def _():
    @eqx.filter_jit
    def add(count, *, times):
        return count * times + times

    def second(make):
        add(jnp.zeros(2, bool), times=make(1))
        return np.asarray(add(jnp.zeros(2, bool), times=make(True))).astype(float) + (
            add(jnp.zeros(2, bool), times=make(True)).dtype == bool
        )

    return lambda: second(lambda x: x), [2.0, 2.0], lambda: second(np.asarray)


@vary("0-d NumPy numbers: np.float32(2)", "silent", "holds")
def _():
    scale = eqx.filter_jit(lambda factor, count: factor * count)
    count = jnp.int32(2_000_000_000)

    def second(one, other):
        scale(one, count)
        return float(scale(other, count))

    return lambda: second(2, 2.0), 4e9, lambda: second(np.int32(2), np.float32(2.0))


@vary("64 bits", "silent", "holds")
def _():
    jax.config.update("jax_enable_x64", True)  # until the end, so this row is the last
    return three()
