"""Variations of *A cached property works once, then fails*: the second use."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from evidence.variation import vary

LEVELS, SHOWN = np.float32([0.5, 1.0, 2.0]), np.float32([0.6, 1.0, 2.1])
GAIN = np.linalg.lstsq(LEVELS[:, None], SHOWN, rcond=None)[0][0]


def fitted(xp):
    return xp.vdot(LEVELS, SHOWN) / xp.vdot(LEVELS, LEVELS)


class Cached:
    @functools.cached_property
    def gain(self):
        return fitted(jnp)


class ByNumPy:
    @functools.cached_property
    def gain(self):
        return fitted(np)


class Early:
    def __init__(self):
        self.gain = fitted(jnp)


class Plain:
    gain = property(lambda self: fitted(jnp))


class Ensured:
    @functools.cached_property
    def gain(self):
        with jax.ensure_compile_time_eval():
            return fitted(jnp)


class Jitted:
    @functools.cached_property
    def gain(self):
        return jax.jit(lambda: fitted(jnp))()


class InitInside:
    """The object is early, but it is made in the trace, and kept."""

    kept = None

    @property
    def gain(self):
        self.kept = self.kept or Early()
        return self.kept.gain


def three(first, second=lambda gauge: gauge.gain * 2.0, cured=Early, read=False):
    def twice(kind):
        gauge = kind()
        if read:
            gauge.gain  # noqa: B018
        first(gauge)
        return second(gauge)

    return lambda: twice(Cached), 2.0 * GAIN, lambda: twice(cured)


def jitted(gauge):
    return jax.jit(lambda level: gauge.gain * level)(2.0)


def slope(gauge):
    return jax.jit(jax.grad(lambda level: gauge.gain * level**2 / 2.0))(2.0)


def lanes(gauge):
    return jax.vmap(lambda level: gauge.gain * level)(jnp.full(2, 2.0))[0]


def scanned(gauge):
    return lax.scan(lambda c, x: (c, gauge.gain * x), 0.0, jnp.full(2, 2.0))[1][0]


vary("jit, then plain", "UnexpectedTracerError", "holds")(lambda: three(jitted))
vary("jit, then the gradient", "UnexpectedTracerError", "holds")(lambda: three(jitted, slope))
vary("scan, then jit", "UnexpectedTracerError", "holds")(lambda: three(scanned, jitted))
vary("vmap alone", "right", "holds")(lambda: three(lanes))
vary("plain, then jit", "right", "holds")(lambda: three(lambda gauge: gauge.gain, jitted))
vary("read once before", "right", "holds")(lambda: three(jitted, read=True))
vary("the cure computes with NumPy", "UnexpectedTracerError", "holds")(
    lambda: three(jitted, cured=ByNumPy)
)
vary("the cure is a plain property", "UnexpectedTracerError", "holds")(
    lambda: three(jitted, cured=Plain)
)
vary("the cure is ensure_compile_time_eval", "UnexpectedTracerError", "holds")(
    lambda: three(jitted, cured=Ensured)
)
vary("looks right: a jit in the property", "UnexpectedTracerError", "UnexpectedTracerError")(
    lambda: three(jitted, cured=Jitted)
)
vary("looks right: early, but made in the trace", "UnexpectedTracerError", "UnexpectedTracerError")(
    lambda: three(jitted, cured=InitInside)
)


@vary("a memo by hand; a fori_loop, then the slope", "UnexpectedTracerError", "holds")
def _():
    class Gauge:
        memo = None

        def __init__(self, levels):
            self.levels = levels

        def gain(self):
            if self.memo is None:
                self.memo = jnp.sum(self.levels**2)
            return self.memo

    class Ensured(Gauge):
        def gain(self):
            with jax.ensure_compile_time_eval():
                return super().gain()

    def both(gauge):
        raised = lax.fori_loop(0, 3, lambda _, level: level + gauge.gain(), 1.0)
        return [raised, jax.grad(lambda level: gauge.gain() * level)(1.0)]

    levels = jnp.arange(3.0)
    return lambda: both(Gauge(levels)), [16.0, 5.0], lambda: both(Ensured(levels))


@vary("a dataclass; lax.map, then a checkpoint", "UnexpectedTracerError", "holds")
def _():
    @dataclasses.dataclass
    class Gauge:
        levels: jax.Array

        @functools.cached_property
        def gain(self):
            return jnp.linalg.norm(self.levels)

    @dataclasses.dataclass
    class Early:
        levels: jax.Array

        def __post_init__(self):
            self.gain = jnp.linalg.norm(self.levels)

    def both(gauge):
        mapped = lax.map(lambda level: gauge.gain * level, jnp.arange(2.0))
        slope = jax.grad(jax.checkpoint(lambda level: gauge.gain * level))(1.0)
        return [*mapped, slope]

    levels = jnp.array([3.0, 4.0])
    return lambda: both(Gauge(levels)), [0.0, 5.0, 5.0], lambda: both(Early(levels))
