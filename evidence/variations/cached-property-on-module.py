"""Variations of *A cached property on a frozen module keeps a tracer*: value, then slope."""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from evidence.variation import vary


class Decay(eqx.Module):
    rate: jax.Array

    @functools.cached_property
    def factor(self):
        return jnp.exp(-self.rate)

    def __call__(self, activity):
        return jnp.sum(self.factor) * activity


class Plain(Decay):
    factor = property(lambda self: jnp.exp(-self.rate))


def closed(decay, jit=jax.jit):
    value = jit(lambda activity: decay(activity))(jnp.float32(10.0))
    return [value, jit(jax.grad(lambda activity: decay(activity)))(jnp.float32(10.0))]


def passed(decay, jit=jax.jit):
    value = jit(lambda decay, x: decay(x))(decay, jnp.float32(10.0))
    return [value, jit(jax.grad(lambda x, decay: decay(x)))(jnp.float32(10.0), decay)]


def with_a_loop(decay, jit=jax.jit, before=lambda decay: None):
    """Pass the module to a function with a loop that reads it, and read it again after the loop."""

    def run(x, decay):
        before(decay)
        return decay(jax.lax.fori_loop(0, 1, lambda _, x: decay(x), x))

    x = jnp.float32(10.0)
    two_days, once = [jit(run)(x, decay), jit(jax.grad(run))(x, decay)], decay(1.0)
    return [each / once for each in two_days]


def methods(decay):
    """Hand over the bound method, which is a module with the decay in it."""
    value = eqx.filter_jit(decay.__call__)(jnp.float32(10.0))
    return [value, eqx.filter_jit(eqx.filter_grad(decay.__call__))(jnp.float32(10.0))]


def jitted_method(decay):
    return [jax.jit(decay.__call__)(10.0), jax.jit(jax.grad(decay.__call__))(10.0)]


def read_before(decay):
    decay.factor  # noqa: B018
    return closed(decay)


def lanes(decay):
    value = jax.vmap(lambda x: decay(x))(jnp.full(2, 10.0))[0]
    return [value, jax.vmap(jax.grad(lambda x: decay(x)))(jnp.full(2, 10.0))[0]]


def without(decay):
    return [decay(10.0), jax.grad(lambda x: decay(x))(10.0)]


def copied(decay):
    """A copy for each trace, made outside."""
    again = lambda: jax.tree.map(lambda leaf: leaf, decay)
    one, other = again(), again()
    value = jax.jit(lambda x: one(x))(10.0)
    return [value, jax.jit(jax.grad(lambda x: other(x)))(10.0)]


def by_array(rates, run, cure=passed, kind=Decay):
    factor = np.exp(-np.asarray(rates)).sum()
    make = lambda kind: kind(jnp.asarray(rates))
    return lambda: run(make(Decay)), [10.0 * factor, factor], lambda: cure(make(kind))


def three(run, cure=passed, kind=Decay):
    return by_array(0.5, run, cure, kind)


vary("closed over, under jit", "UnexpectedTracerError", "holds")(lambda: three(closed))
vary("closed over, under eqx.filter_jit", "UnexpectedTracerError", "holds")(
    lambda: three(lambda d: closed(d, eqx.filter_jit), lambda d: passed(d, eqx.filter_jit))
)
vary("an array of rates", "UnexpectedTracerError", "holds")(
    lambda: by_array([0.5, 1.0, 2.0], closed)
)
vary("vmap", "right", "holds")(lambda: three(lanes))
vary("no jit", "right", "holds")(lambda: three(without))
vary("read once before", "right", "holds")(lambda: three(read_before))
vary(
    "looks right: filter_jit of the bound method", "UnexpectedTracerError", "UnexpectedTracerError"
)(lambda: three(closed, methods))
vary("the cure is a plain property", "UnexpectedTracerError", "holds")(
    lambda: three(closed, closed, Plain)
)
vary("a copy for each trace", "UnexpectedTracerError", "holds")(lambda: three(closed, copied))
vary("passed, and a loop reads it first", "UnexpectedTracerError", "UnexpectedTracerError")(
    lambda: three(closed, with_a_loop)
)
vary("passed, and read before the loop", "UnexpectedTracerError", "holds")(
    lambda: three(closed, lambda d: with_a_loop(d, before=lambda d: d.factor))
)
vary("the same under eqx.filter_jit", "UnexpectedTracerError", "holds")(
    lambda: three(closed, lambda d: with_a_loop(d, eqx.filter_jit, lambda d: d.factor))
)
vary("looks right: jax.jit of the bound method", "UnexpectedTracerError", "UnexpectedTracerError")(
    lambda: three(closed, jitted_method)
)
