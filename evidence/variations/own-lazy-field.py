"""Variations of *Your own distribution changes its structure when read*: scales after a loop."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import numpyro.distributions as dist
from jax import lax
from numpyro.distributions.util import lazy_property

from evidence.variation import vary

CONSTRAINTS = {"scale": dist.constraints.positive}


class Steady(dist.Distribution):
    arg_constraints = CONSTRAINTS
    support = dist.constraints.real

    def __init__(self, scale):
        self.scale = scale
        super().__init__(jnp.shape(scale), ())

    @lazy_property
    def precision(self):
        return self.scale**-2


class Blur(Steady):
    pytree_data_fields = ("scale", "precision")


class Static(Steady):
    pytree_aux_fields = ("precision",)


class Plain(Blur):
    precision = property(lambda self: self.scale**-2)


class Early(Blur):
    precision = None

    def __init__(self, scale):
        super().__init__(scale)
        self.precision = scale**-2


def scanned(kind, blur, days):
    return lax.scan(lambda blur, _: (kind(2 * blur.scale), None), blur, jnp.arange(days))[0]


def fori(kind, blur, days):
    return lax.fori_loop(0, days, lambda _, blur: kind(2 * blur.scale), blur)


def handed_on(kind, blur, days):
    """Each step reads the property, and hands the same object on."""
    return lax.scan(lambda blur, _: (blur, blur.precision), blur, jnp.arange(days))[0]


def branches(kind, blur, days):
    return lax.cond(True, lambda one: kind(2 * one.scale), lambda one: one, blur)


def added(kind, blur, days):
    return jax.tree.map(jnp.add, blur, kind(jnp.array([1.0, 2.0])))


def read_inside(kind, blur, days):
    def step(blur, _):
        after = kind(2 * blur.scale)
        return after, after.precision

    return lax.scan(step, blur, jnp.arange(days))[0]


def three(loop=scanned, factor=8.0, cured=Steady, days=3, read=True, again=None):
    def run(kind, loop):
        blur = kind(jnp.array([1.0, 2.0]))
        if read:
            blur.precision  # noqa: B018
        return loop(kind, blur, days).scale

    exact = factor * np.array([1.0, 2.0])
    return lambda: run(Blur, loop), exact, lambda: run(cured, again or loop)


vary("scan, read before", "TypeError", "holds")(lambda: three())
vary("scan over one day", "TypeError", "holds")(lambda: three(days=1, factor=2.0))
vary("fori_loop", "TypeError", "holds")(lambda: three(fori))
vary("cond", "TypeError", "holds")(lambda: three(branches, 2.0))
vary("tree.map of two", "TypeError", "holds")(lambda: three(added, 2.0))
vary("not read", "right", "holds")(lambda: three(read=False))
vary("read in the step, handed on", "right", "holds", then=("TypeError", "holds"))(
    lambda: three(handed_on, 1.0, read=False)
)
vary("looks right: a plain property, still a field", "TypeError", "AttributeError")(
    lambda: three(cured=Plain)
)
vary("the cure computes it at the start", "TypeError", "holds")(lambda: three(cured=Early))
vary("looks right: a static field", "TypeError", "TypeError")(lambda: three(cured=Static))
vary(
    "looks right: read in the step as well", "TypeError", "TypeError", then=("TypeError", "holds")
)(lambda: three(cured=Blur, again=read_inside))


@vary("a Gamma's cached mean among its fields, while_loop", "TypeError", "holds")
def _():
    def run(fields):
        class Rain(dist.Gamma):
            pytree_data_fields = fields

            @functools.cached_property
            def wet(self):
                return self.concentration / self.rate

        law = Rain(jnp.float32(2.0), jnp.float32(4.0))
        law.wet  # noqa: B018
        less = lambda law: law.rate > 1
        return lax.while_loop(less, lambda law: Rain(law.concentration, law.rate / 2), law).rate

    return lambda: run(("wet",)), 1.0, lambda: run(())


@vary("two instances, one of them read, in switch", "TypeError", "holds")
def _():
    real = dist.constraints.real
    bounds = {"low": real, "high": real}

    def pick(fields):
        class Width(dist.Distribution):
            arg_constraints, support = bounds, real
            pytree_data_fields = fields

            def __init__(self, low, *, high):
                self.low, self.high = low, high
                super().__init__(batch_shape=jnp.shape(low))

            @lazy_property
            def width(self):
                return self.high - self.low

        first, second = Width(0.0, high=2.0), Width(1.0, high=5.0)
        first.width  # noqa: B018
        return lax.switch(1, [lambda: first, lambda: second]).high

    return lambda: pick(("low", "high", "width")), 5.0, lambda: pick(("low", "high"))
