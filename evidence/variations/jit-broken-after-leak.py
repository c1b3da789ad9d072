"""Variations of *The leak is repaired, and the compiled function still fails*."""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import lax

from evidence.variation import vary


def three(make, clear=jax.clear_caches):
    """Call once while a tracer is there, repair, then call again; the cure clears the caches."""

    def after(cure):
        box = {}
        jax.jit(lambda weight: box.__setitem__("v", weight * 2.0) or weight)(1.0)
        call = make(lambda x: x + box["v"])
        try:
            call()
        except jax.errors.UnexpectedTracerError:
            pass
        box["v"] = jnp.float32(1.0)
        if cure:
            clear()
        return call()

    return lambda: after(False), 2.0, lambda: after(True)


def kept(transform):
    def make(f):
        g = transform(f)
        return lambda: g(jnp.float32(1.0))

    return make


def scanned(f):
    body = lambda carry, x: (carry, f(x))
    return lambda: lax.scan(body, 0.0, jnp.ones(1))[1][0]


def looped(f):
    body, below = (lambda x: f(x) + 0.0), (lambda x: x < 2.0)
    return lambda: lax.while_loop(below, body, 1.0)


ERROR, OLD = "UnexpectedTracerError", ("right", "holds")
vary("jit", ERROR, "holds", then=OLD)(lambda: three(kept(jax.jit)))
vary("eqx.filter_jit", ERROR, "holds", then=OLD)(lambda: three(kept(eqx.filter_jit)))
vary("checkpoint", ERROR, "holds", then=OLD)(lambda: three(kept(jax.checkpoint)))
vary("a scan body that is kept", ERROR, "holds", then=OLD)(lambda: three(scanned))
vary("a while_loop body that is kept", ERROR, "holds", then=OLD)(lambda: three(looped))
vary("vmap recovers", "right", "holds")(
    lambda: three(lambda f: lambda: jax.vmap(f)(jnp.ones(1))[0])
)
vary("lax.map recovers", "right", "holds")(
    lambda: three(lambda f: lambda: lax.map(f, jnp.ones(1))[0])
)
vary("jvp recovers", "right", "holds")(
    lambda: three(lambda f: lambda: jax.jvp(f, (1.0,), (1.0,))[0])
)


def _memo():
    box = {}

    def leak():
        box.clear()
        jax.jit(lambda w: box.setdefault("v", w * 2.0))(1.0)

    return box, leak


@vary("a jitted method: its clear_cache", "UnexpectedTracerError", "holds", then=("right", "holds"))
def _():
    box, leak = _memo()

    class Model:
        @functools.partial(jax.jit, static_argnums=0)
        def loss(self, x):
            return x + box["v"]

    def after(repair):
        model = Model()
        leak()
        try:
            model.loss(1.0)
        except jax.errors.UnexpectedTracerError:
            pass
        box["v"] = 1.0
        repair()
        return model.loss(1.0)

    return lambda: after(lambda: None), 2.0, lambda: after(Model.loss.clear_cache)


def _nested(repair):
    box, leak = _memo()
    inner = jax.jit(lambda x: x + box["v"])
    outer = jax.jit(lambda x: 2 * inner(x))

    def after(repair):
        leak()
        try:
            outer(1.0)
        except jax.errors.UnexpectedTracerError:
            pass
        box["v"] = 1.0
        repair(inner, outer)
        return outer(1.0)

    return lambda: after(lambda *_: None), 4.0, lambda: after(repair)


vary("a jit within a jit: clear_cache of the outer", ERROR, ERROR, then=OLD)(
    lambda: _nested(lambda inner, outer: outer.clear_cache())
)
vary("a jit within a jit: clear_cache of both", ERROR, "holds", then=OLD)(
    lambda: _nested(lambda inner, outer: (outer.clear_cache(), inner.clear_cache()))
)
vary("a jit within a jit: clear_caches", ERROR, "holds", then=OLD)(
    lambda: _nested(lambda inner, outer: jax.clear_caches())
)
