"""Variations of *The leak checker stops with an IndexError*: does it report the leak?"""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp

from evidence.variation import vary

READINGS = [2.1, 1.4, 2.3]


class Tank:
    offset = 1.0

    def density(self, level):
        self.scaled = level / 2.0
        return -0.5 * self.scaled**2

    def clean(self, level):
        return -0.5 * (level / 2.0) ** 2


def check(function, level, jit=jax.jit):
    with jax.checking_leaks():
        jit(function)(jnp.float32(level))


def reports(main):
    try:
        main()
    except Exception as error:
        if not str(error).startswith("Leaked"):
            raise
        return True
    return False


def three(main, cure=None):
    return lambda: reports(main), True, lambda: reports(cure or by_value)


def by_lambda():
    tank = Tank()
    check(tank.density, min(READINGS, key=lambda reading: abs(reading - tank.offset)))


def by_value():
    tank = Tank()
    offset = tank.offset
    check(tank.density, min(READINGS, key=lambda reading: abs(reading - offset)))


def by_function():
    tank = Tank()

    def distance(reading):
        return abs(reading - tank.offset)

    check(tank.density, min(READINGS, key=distance))


def never_called():
    tank = Tank()
    unused = lambda: tank  # noqa: F841
    check(tank.density, 1.4)


def by_generator():
    tank = Tank()
    check(tank.density, min(abs(reading - tank.offset) for reading in READINGS))


def by_default():
    tank = Tank()
    key = lambda reading, tank=tank: abs(reading - tank.offset)
    check(tank.density, min(READINGS, key=key))


def by_partial():
    tank = Tank()
    distance = lambda tank, reading: abs(reading - tank.offset)
    check(tank.density, min(READINGS, key=functools.partial(distance, tank)))


def filtered():
    tank = Tank()
    check(lambda level: tank.density(level), 1.4, eqx.filter_jit)


def deleted():
    """The lambda is deleted before the check."""
    tank = Tank()
    key = lambda reading: abs(reading - tank.offset)
    nearest = min(READINGS, key=key)
    del key
    check(tank.density, nearest)


def made_elsewhere():
    use(Tank())


def use(tank):
    check(tank.density, min(READINGS, key=lambda reading: abs(reading - tank.offset)))


vary("a lambda", "right", "holds", then=("IndexError", "holds"))(lambda: three(by_lambda))
vary("an inner function", "right", "holds")(lambda: three(by_function))
vary("a lambda that is never called", "right", "holds")(lambda: three(never_called))
vary("a generator", "right", "holds", then=("IndexError", "holds"))(lambda: three(by_generator))
vary("the jitted function is the lambda", "right", "holds")(lambda: three(filtered))
vary("no lambda", "right", "holds")(lambda: three(by_value))
vary("the cure is a default argument", "right", "holds", then=("IndexError", "holds"))(
    lambda: three(by_lambda, by_default)
)
vary("the cure is a partial", "right", "holds", then=("IndexError", "holds"))(
    lambda: three(by_lambda, by_partial)
)
vary("looks right: delete the lambda first", "right", "holds", then=("IndexError", "IndexError"))(
    lambda: three(by_lambda, deleted)
)
vary(
    "looks right: the object is made elsewhere", "right", "holds", then=("IndexError", "IndexError")
)(lambda: three(by_lambda, made_elsewhere))


@vary("a callback that is made in a method", "right", "holds")
def _():
    class Run:
        def start(self):
            tank = Tank()
            self.log = lambda: print(tank.offset)
            check(tank.density, 1.4)

        def cured(self):
            tank = Tank()
            self.log = functools.partial(print, tank.offset)
            check(tank.density, 1.4)

    return three(Run().start, Run().cured)


@vary("a sort key in a loop, filter_jit", "right", "holds", then=("IndexError", "holds"))
def _():
    def main():
        for offset in (1.0, 2.0):
            tank = Tank()
            tank.offset = offset
            near = sorted(READINGS, key=lambda reading: (reading - tank.offset) ** 2)
            check(tank.density, near[0], jit=eqx.filter_jit)

    def cured():
        for offset in (1.0, 2.0):
            tank = Tank()
            tank.offset = offset
            near = sorted(READINGS, key=lambda reading: (reading - offset) ** 2)
            check(tank.density, near[0], jit=eqx.filter_jit)

    return three(main, cured)
