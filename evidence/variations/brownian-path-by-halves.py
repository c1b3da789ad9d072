"""Variations of *An SDE solve is many times slower than a plain loop*: draws of `normal`."""

from unittest import mock

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from evidence.variation import vary

KEY, DRAWS, NORMAL, STEPS = jax.random.PRNGKey(3), [], jax.random.normal, 50
ONCE, EULER = {"adjoint": diffrax.DirectAdjoint()}, diffrax.Euler()


def counted(key, *arguments, **options):
    jax.debug.callback(lambda: DRAWS.append(None))
    return NORMAL(key, *arguments, **options)


def tree(tol=1e-3, shape=(), key=KEY):
    return diffrax.VirtualBrownianTree(0.0, 1.0, tol=tol, shape=shape, key=key)


def plain(shape=(), key=KEY):
    return diffrax.UnsafeBrownianPath(shape=shape, key=key)


def solve(
    path,
    solver=EULER,
    y0=1.0,
    steps=STEPS,
    volume=lambda t, y, _: 0.2,
    drift=lambda t, y, _: -y,
    **options,
):
    terms = diffrax.MultiTerm(diffrax.ODETerm(drift), diffrax.ControlTerm(volume, path))
    return diffrax.diffeqsolve(terms, solver, 0.0, 1.0, 1 / steps, y0, **options).ys[-1]


def count(path, jit=lambda run: run, **options):
    def run():
        jax.clear_caches()
        DRAWS.clear()
        with mock.patch.object(jax.random, "normal", counted):
            jax.block_until_ready(jit(lambda: solve(path, **options))())
            jax.effects_barrier()
        return len(DRAWS)

    return run


def three(steps=STEPS, **options):
    options["steps"] = steps
    return count(tree(), **options), steps, count(plain(), **ONCE, **options)


vary("as on the page", "silent", "holds")(three)
vary("under jit", "silent", "holds")(lambda: three(jit=jax.jit))
vary("filter_jit", "silent", "holds")(lambda: three(jit=eqx.filter_jit))
vary("more steps", "silent", "holds")(lambda: three(steps=80))
vary("Heun's method", "silent", "holds")(lambda: three(solver=diffrax.Heun()))
vary("another key", "silent", "holds")(
    lambda: (
        count(tree(key=jax.random.PRNGKey(9))), STEPS,
        count(plain(key=jax.random.PRNGKey(9)), **ONCE),
    )
)  # fmt: skip
vary("a noise that depends on the state", "silent", "holds")(
    lambda: three(volume=lambda t, y, _: 0.2 * y)
)
vary("looks right: a coarse tolerance", "silent", "falls")(
    lambda: (count(tree()), STEPS, count(tree(tol=1 / STEPS)))
)
vary("looks right: fewer times saved", "silent", "falls")(
    lambda: (count(tree()), STEPS, count(tree(), saveat=diffrax.SaveAt(t1=True)))
)


@vary("the default adjoint, which refuses", "silent", "ValueError")
def _():
    return count(tree()), STEPS, count(plain())


@vary("the spread of many paths", "right", "holds")
def _():
    def spread(make, **options):
        one = lambda key: solve(make(key=key), **options)
        return lambda: jnp.std(jax.vmap(one)(jax.random.split(KEY, 4000))) > 0.125

    exact = np.sqrt(0.04 * (1 - np.exp(-2)) / 2)
    return spread(tree), exact > 0.125, spread(plain, **ONCE)


@vary("the mean of y in dy = y dW; a tolerance above the step, and half of it", "silent", "holds")
def _():
    def near(tol):
        one = lambda key: solve(
            tree(tol, key=key), volume=lambda t, y, _: y, drift=lambda t, y, _: 0.0 * y
        )
        return lambda: abs(jnp.mean(jax.vmap(one)(jax.random.split(KEY, 4000))) - 1) < 0.1

    return near(5 / STEPS), True, near(0.5 / STEPS)
