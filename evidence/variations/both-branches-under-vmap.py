"""Variations of *Under vmap, both branches of cond are computed*: calls of the expensive one."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from evidence.variation import vary

X = np.linspace(0.0, 1.0, 12, dtype=np.float32)
ABOVE = int((X > 0.8).sum())
RAN = []


def expensive(x):
    jax.debug.callback(lambda x: RAN.append(1), x)
    return jnp.sin(x)


def look(x):
    return lax.cond(x > 0.8, expensive, lambda x: x, x)


def calls(function, xs=X, jit=jax.jit):
    def count():
        RAN.clear()
        jax.block_until_ready(jit(function)(xs))
        jax.effects_barrier()
        return len(RAN)

    return count


by_map = lambda function: lambda xs: lax.map(function, xs)
vary("as on the page", "silent", "holds")(
    lambda: (calls(jax.vmap(look)), ABOVE, calls(by_map(look)))
)
vary("without jit", "silent", "holds")(
    lambda: (calls(jax.vmap(look), jit=lambda f: f), ABOVE, calls(by_map(look), jit=lambda f: f))
)
vary("operands in a closure", "silent", "holds")(
    lambda: (
        calls(jax.vmap(lambda x: lax.cond(x > 0.8, lambda: expensive(x), lambda: x))),
        ABOVE,
        calls(by_map(look)),
    )
)
vary("switch of three branches", "silent", "holds")(
    lambda: (
        calls(jax.vmap(_switched)),
        ABOVE,
        calls(by_map(_switched)),
    )
)
vary("where, which is never lazy", "silent", "holds")(
    lambda: (
        calls(jax.vmap(lambda x: jnp.where(x > 0.8, expensive(x), x))),
        ABOVE,
        calls(by_map(look)),
    )
)
vary("eqx.filter_vmap", "silent", "holds")(
    lambda: (calls(eqx.filter_vmap(look), jit=eqx.filter_jit), ABOVE, calls(by_map(look)))
)
vary("a scan over the lanes", "silent", "holds")(
    lambda: (
        calls(jax.vmap(look)),
        ABOVE,
        calls(lambda xs: lax.scan(lambda _, x: (None, look(x)), None, xs)[1]),
    )
)
vary("a condition that is not mapped stays a cond", "right", "holds")(
    lambda: (
        calls(jax.vmap(lambda x: lax.cond(ABOVE < 0, expensive, lambda x: x, x))),
        0,
        calls(by_map(lambda x: lax.cond(ABOVE < 0, expensive, lambda x: x, x))),
    )
)
vary("in a scan's step under vmap", "silent", "holds")(
    lambda: (
        calls(lambda xs: lax.scan(lambda c, _: (jax.vmap(look)(c), None), xs, length=1)[0]),
        ABOVE,
        calls(lambda xs: lax.scan(lambda c, _: (by_map(look)(c), None), xs, length=1)[0]),
    )
)
vary("looks right: where", "silent", "falls")(
    lambda: (
        calls(jax.vmap(look)),
        ABOVE,
        calls(by_map(lambda x: jnp.where(x > 0.8, expensive(x), x))),
    )
)
vary("looks right: lax.map in batches", "silent", "falls")(
    lambda: (calls(jax.vmap(look)), ABOVE, calls(lambda xs: lax.map(look, xs, batch_size=4)))
)


def doubled(x):
    return lax.cond(x > 0.8, expensive, lambda x: 2 * x, x)


def chosen(start):
    def choose(xs):
        which = jnp.argsort(~(xs > 0.8), stable=True)[:ABOVE]
        return start(xs).at[which].set(jax.vmap(doubled)(xs[which]))

    return choose


def both(function):
    def run():
        RAN.clear()
        values = jax.block_until_ready(jax.jit(function)(X))
        jax.effects_barrier()
        return np.array([len(RAN), *values])

    return run


RIGHT = np.array([ABOVE, *np.where(X > 0.8, np.sin(X), 2 * X)])
vary("lanes chosen first, the cheap branch for all", "silent", "holds")(
    lambda: (both(jax.vmap(doubled)), RIGHT, both(chosen(lambda xs: 2 * xs)))
)
vary("looks right: lanes chosen first, without the cheap branch", "silent", "falls")(
    lambda: (both(jax.vmap(doubled)), RIGHT, both(chosen(lambda xs: xs)))
)


def _switched(x):
    branches = [lambda x: x, lambda x: 2 * x, expensive]
    return lax.switch((x > 0.3).astype(int) + (x > 0.8), branches, x)
