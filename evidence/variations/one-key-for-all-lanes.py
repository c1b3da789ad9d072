"""Variations of *All lanes of vmap draw the same random number*: how many noises differ."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from jax import lax, random
from numpyro.handlers import seed

from evidence.variation import vary

jax.config.update("jax_disable_most_optimizations", True)


def measure(level):
    return level + numpyro.sample("noise", dist.Normal(0.0, 2.0))


def counts(level):
    return level + 0.001 * numpyro.sample("noise", dist.Gamma(2.0, 1.0))


def twice(level):
    return measure(level) + 10.0 * numpyro.sample("other", dist.Uniform(0.0, 1.0))


def by_keys(one, levels):
    keys = random.split(numpyro.prng_key(), len(levels))
    return jax.vmap(lambda key, level: seed(one, rng_seed=key)(level))(keys, levels)


def by_numbers(one, levels):
    numbered = lambda place, level: seed(one, rng_seed=place)(level)
    return jax.vmap(numbered)(jnp.arange(len(levels)), levels)


def by_plate(one, levels):
    with numpyro.plate("stations", len(levels)):
        return one(levels)


def key_inside(one, levels):
    return jax.vmap(lambda level: seed(one, rng_seed=numpyro.prng_key())(level))(levels)


def key_repeated(one, levels):
    keys = jnp.stack([numpyro.prng_key()] * len(levels))
    return jax.vmap(lambda key, level: seed(one, rng_seed=key)(level))(keys, levels)


def seed_of_level(one, levels):
    """A key made of the lane's own data: lanes with equal data draw equal noise."""
    key = lambda level: random.fold_in(random.key(0), level.astype(int))
    return jax.vmap(lambda level: seed(one, rng_seed=key(level))(level))(levels)


def lanes(one, levels):
    return jax.vmap(one)(levels)


def three(way=lanes, one=measure, size=6, number=0, jit=False, cured=by_keys, level=10.0):
    levels = jnp.linspace(level, 20.0, size)

    def different(way):
        def run():
            with seed(rng_seed=number):
                return way(one, levels)

        drawn = np.asarray((jax.jit(run) if jit else run)() - levels)
        return len(set(np.round(drawn, 4).tolist()))

    return lambda: different(way), size, lambda: different(cured)


def two_seeds(jitted, keys_outside=False):
    """Count how many different readings six lanes have, for two seeds of the block."""
    inside = jax.jit(by_keys, static_argnums=0) if jitted else by_keys
    passed = jax.jit(lambda keys, levels: jax.vmap(lambda k, x: seed(measure, k)(x))(keys, levels))

    def drawn(number, levels):
        with seed(rng_seed=number):
            if keys_outside:
                return passed(random.split(numpyro.prng_key(), len(levels)), levels)
            return inside(measure, levels)

    levels = jnp.linspace(10.0, 20.0, 6)
    found = np.concatenate([np.asarray(drawn(number, levels) - levels) for number in (0, 1)])
    return len(set(np.round(found, 4).tolist()))


vary("six lanes", "silent", "holds")(lambda: three())
vary("two seeds of the block", "silent", "holds")(
    lambda: (three()[0], 12, lambda: two_seeds(jitted=False))
)
vary("looks right: jit around the cure, two seeds", "silent", "falls")(
    lambda: (three()[0], 12, lambda: two_seeds(jitted=True))
)
vary("jit, with the keys passed in, two seeds", "silent", "holds")(
    lambda: (three()[0], 12, lambda: two_seeds(jitted=True, keys_outside=True))
)
vary("another seed, a hundred lanes", "silent", "holds")(lambda: three(size=100, number=3))
vary("one lane", "right", "holds")(lambda: three(size=1))
vary("under jit", "silent", "holds")(lambda: three(jit=True))
vary("Gamma", "silent", "holds")(lambda: three(one=counts))
vary("two sites in a lane", "silent", "holds")(lambda: three(one=twice))
vary("eqx.filter_vmap", "silent", "holds")(lambda: three(lambda one, x: eqx.filter_vmap(one)(x)))
vary("lax.map", "silent", "holds")(lambda: three(lambda one, x: lax.map(one, x)))
vary("jnp.vectorize", "silent", "holds")(lambda: three(lambda one, x: jnp.vectorize(one)(x)))
vary("the cure is a plate", "silent", "holds")(lambda: three(cured=by_plate))
vary("the cure is a number for each lane", "silent", "holds")(lambda: three(cured=by_numbers))
vary("looks right: prng_key() inside", "silent", "falls")(lambda: three(cured=key_inside))
vary("looks right: one key, repeated", "silent", "falls")(lambda: three(cured=key_repeated))
vary("a key of the level, all different", "silent", "holds")(lambda: three(cured=seed_of_level))
vary("looks right: a key of the level, all equal", "silent", "falls")(
    lambda: three(cured=seed_of_level, level=20.0)
)


def _distinct(noise):
    return len(np.unique(np.asarray(noise).round(5)))


@vary("stations and days, a typed key", "silent", "holds")
def _():
    measure = lambda level: numpyro.sample("reading", dist.Normal(level, 2.0))
    levels = np.float32(np.linspace(10, 20, 12).reshape(4, 3))
    with seed(rng_seed=jax.random.key(0)):
        got = jax.vmap(jax.vmap(measure))(levels) - levels
    keys = random.split(jax.random.key(0), levels.shape)
    each = lambda key, level: seed(measure, key)(level)
    return _distinct(got), 12, _distinct(jax.vmap(jax.vmap(each))(keys, levels) - levels)


@vary("in_axes, a plate within, under jit", "silent", "holds")
def _():
    def measure(level, spread):
        with numpyro.plate("gauges", 3):
            return numpyro.sample("reading", dist.StudentT(5.0, 0.0, spread)) + level

    levels = np.float32([10.0, 20.0, 30.0, 40.0])
    with seed(rng_seed=1):
        got = jax.vmap(measure, in_axes=(0, None))(levels, 2.0) - levels[:, None]

    @jax.jit
    def cured(key):
        def lane(key, level):
            with seed(rng_seed=key):
                return measure(level, 2.0)

        return jax.vmap(lane)(random.split(key, len(levels)), levels) - levels[:, None]

    return _distinct(got), 12, _distinct(cured(random.PRNGKey(1)))
