"""Variations of *A sample after a jitted call in a seed block fails*: how many draws differ."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpyro
import numpyro.distributions as dist
from jax import lax
from numpyro.contrib.control_flow import scan
from numpyro.handlers import seed

from evidence.variation import vary

jax.config.update("jax_disable_most_optimizations", True)


def draw():
    return numpyro.sample("signal", dist.Normal(10.0, 3.0))


def jitted(one):
    return jax.jit(lambda: one())()


def filtered(one):
    return eqx.filter_jit(lambda: one())()


def lanes(one):
    return jax.vmap(lambda _: one())(jnp.ones(2))[0]


def scanned(one):
    return lax.scan(lambda c, _: (c, one()), 0.0, None, length=2)[1][0]


def mapped(one):
    return lax.map(lambda _: one(), jnp.ones(2))[0]


def fori(one):
    return lax.fori_loop(0, 2, lambda _, total: total + one(), 0.0)


def cond(one):
    return lax.cond(True, lambda: one(), lambda: 0.0)


def slope(one):
    return jax.grad(lambda x: x * one())(1.0)


def shapes(one):
    jax.eval_shape(one)
    return 0.0


def direct(one):
    return one()


def with_key(transform):
    """The cure: a key of the block for the call."""
    key = numpyro.prng_key()
    return transform(lambda: seed(draw, rng_seed=key)())


def three(transform, cured=with_key, number=0, after=1):
    def different(call):
        with seed(rng_seed=number):
            draws = [call(transform), *(draw() for _ in range(after))]
        return len({float(value) for value in draws})

    return lambda: different(lambda transform: transform(draw)), 1 + after, lambda: different(cured)


def numpyro_scan(transform):
    step = lambda c, _: (c, draw())
    return scan(step, 0.0, None, length=2)[1][0]


def key_inside(transform):
    return transform(lambda: seed(draw, rng_seed=numpyro.prng_key())())


def inner_block(transform):
    def one():
        with seed(rng_seed=7):
            return draw()

    return transform(one)


vary("jit", "UnexpectedTracerError", "holds")(lambda: three(jitted))
vary("another seed, three draws after it", "UnexpectedTracerError", "holds")(
    lambda: three(jitted, number=5, after=3)
)
vary("nothing drawn afterward", "right", "holds")(lambda: three(jitted, after=0))
vary("eqx.filter_jit", "UnexpectedTracerError", "holds")(lambda: three(filtered))
vary("lax.scan", "UnexpectedTracerError", "holds")(lambda: three(scanned))
vary("lax.map", "UnexpectedTracerError", "holds")(lambda: three(mapped))
vary("fori_loop", "UnexpectedTracerError", "holds")(lambda: three(fori))
vary("cond", "UnexpectedTracerError", "holds")(lambda: three(cond))
vary("eval_shape", "UnexpectedTracerError", "holds")(lambda: three(shapes))
vary("vmap", "right", "holds")(lambda: three(lanes))
vary("grad", "right", "holds")(lambda: three(slope))
vary("no transform", "right", "holds")(lambda: three(direct))
vary("the cure is NumPyro's scan", "UnexpectedTracerError", "holds")(
    lambda: three(scanned, numpyro_scan)
)
vary("the cure is a block inside", "UnexpectedTracerError", "holds")(
    lambda: three(jitted, inner_block)
)
vary("looks right: prng_key() inside", "UnexpectedTracerError", "UnexpectedTracerError")(
    lambda: three(jitted, key_inside)
)


@vary("a typed key, a method, checkpoint's gradient", "UnexpectedTracerError", "holds")
def _():
    class Tank:
        @staticmethod
        def loss(level):
            return level * numpyro.sample("noise", dist.Gamma(2.0, 1.0))

    def both(wrap):
        with seed(rng_seed=jax.random.key(3)):
            slope = jax.grad(jax.checkpoint(wrap()))(1.0)
            return jnp.isfinite(slope + numpyro.sample("after", dist.Normal()))

    def with_key():
        key = numpyro.prng_key()
        return lambda level: seed(Tank.loss, rng_seed=key)(level)

    return lambda: both(lambda: Tank.loss), True, lambda: both(with_key)


@vary("a branch of switch, then a plate", "UnexpectedTracerError", "holds")
def _():
    draw = lambda: numpyro.sample("a", dist.Exponential(rate=1.0))
    zero = lambda: 0.0

    def shape(branch):
        with seed(rng_seed=1):
            lax.switch(jnp.int32(1), [zero, branch()])
            with numpyro.plate("n", 4):
                return numpyro.sample("b", dist.Normal()).shape

    def with_key():
        key = numpyro.prng_key()
        return lambda: seed(draw, key)()

    return lambda: shape(lambda: draw), [4], lambda: shape(with_key)
