"""Variations of *A jitted simulation ignores the new seed*: how many draws differ."""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from jax import random
from numpyro.handlers import seed

from evidence.variation import vary

jax.config.update("jax_disable_most_optimizations", True)


def simulate():
    return numpyro.sample("rainfall", dist.Normal(20.0, 5.0))


def by_block(run, number):
    with seed(rng_seed=number):
        return run()


def by_handler(run, number):
    return seed(run, rng_seed=number)()


def three(jitted, draw=by_block, number=3, cure=None):
    """Count the different draws; `cure` makes the draw of a number."""

    def different(one):
        return len({float(one(place)) for place in range(number)})

    cure = cure or with_key()
    return lambda: different(lambda place: draw(jitted, place)), number, lambda: different(cure)


def with_key():
    jitted = jax.jit(lambda rng_key: seed(simulate, rng_seed=rng_key)())
    return lambda number: jitted(random.key(number))


def with_number():
    return jax.jit(lambda number: seed(simulate, rng_seed=number)())


def static():
    return jax.jit(lambda number: seed(simulate, rng_seed=number)(), static_argnums=0)


def in_lanes():
    draws = jax.vmap(lambda key: seed(simulate, rng_seed=key)())
    return lambda number: draws(random.split(random.key(0), 3))[number]


def jit_again(number):
    return by_block(jax.jit(simulate), number)


def new_lambda(number):
    return by_block(jax.jit(lambda: simulate()), number)


def outer_key(number):
    """The key is an argument, but the seed is around the jitted function."""
    jitted = KEYED
    return seed(lambda: jitted(random.key(number)), rng_seed=number)()


KEYED = jax.jit(lambda rng_key: simulate())
GROWN = jax.jit(lambda size: simulate() + 0.0 * size)
vary("a block", "silent", "holds")(lambda: three(jax.jit(lambda: simulate())))
vary("ten seeds", "silent", "holds")(lambda: three(jax.jit(lambda: simulate()), number=10))
vary("a handler", "silent", "holds")(lambda: three(jax.jit(lambda: simulate()), by_handler))
vary("eqx.filter_jit", "silent", "holds")(lambda: three(eqx.filter_jit(lambda: simulate())))
vary("no jit", "right", "holds")(lambda: three(simulate))
vary("another argument, of the same shape", "silent", "holds")(
    lambda: three(GROWN, lambda run, n: by_block(lambda: run(jnp.float32(n)), n))
)
vary("vmap over nothing, no jit", "right", "holds")(
    lambda: three(lambda: jax.vmap(lambda _: simulate())(jnp.ones(1))[0])
)
vary("the cure is a number, traced", "silent", "holds")(
    lambda: three(jax.jit(lambda: simulate()), cure=with_number())
)
vary("the cure is a static number", "silent", "holds")(
    lambda: three(jax.jit(lambda: simulate()), cure=static())
)
vary("the cure is lanes", "silent", "holds")(
    lambda: three(jax.jit(lambda: simulate()), cure=in_lanes())
)
vary("a new lambda for each draw", "silent", "holds")(
    lambda: three(jax.jit(lambda: simulate()), cure=new_lambda)
)
vary("looks right: jit again", "silent", "falls")(
    lambda: three(jax.jit(lambda: simulate()), cure=jit_again)
)
vary("looks right: a key passed, the seed outside", "silent", "falls")(
    lambda: three(jax.jit(lambda: simulate()), cure=outer_key)
)


@vary("a jitted method, a typed key", "silent", "holds")
def _():
    class Weather:
        @functools.partial(jax.jit, static_argnums=0)
        def simulate(self):
            return numpyro.sample("rain", dist.Gamma(2.0, 0.5).expand([3]))

        @functools.partial(jax.jit, static_argnums=0)
        def cured(self, key):
            with seed(rng_seed=key):
                return numpyro.sample("rain", dist.Gamma(2.0, 0.5).expand([3]))

    plain = lambda: numpyro.sample("rain", dist.Gamma(2.0, 0.5).expand([3]))
    weather, keys = Weather(), [jax.random.key(number) for number in range(3)]
    return (
        np.stack([seed(weather.simulate, key)() for key in keys]),
        np.stack([seed(plain, key)() for key in keys]),
        np.stack([weather.cured(key) for key in keys]),
    )


@vary("the seed's number is the argument, a loop inside", "silent", "holds")
def _():
    def walk():
        steps = [numpyro.sample(f"step{day}", dist.Normal(0.0, 1.0)) for day in range(4)]
        return jnp.cumsum(jnp.stack(steps))

    jitted, cured = jax.jit(walk), jax.jit(lambda number: seed(walk, number)())
    return (
        np.stack([seed(jitted, number)() for number in range(3)]),
        np.stack([seed(walk, number)() for number in range(3)]),
        np.stack([cured(number) for number in range(3)]),
    )
