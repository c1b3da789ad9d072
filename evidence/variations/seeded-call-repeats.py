"""Variations of *A second call of a seeded model repeats the first*: how many draws differ."""

import functools

import jax
import numpy as np
import numpyro
import numpyro.distributions as dist
from jax import random
from numpyro.handlers import seed, trace

from evidence.variation import vary

jax.config.update("jax_disable_most_optimizations", True)


def day():
    return numpyro.sample("rainfall", dist.Normal(20.0, 5.0))


def wet():
    return numpyro.sample("rainfall", dist.Gamma(2.0, 1.0))


def plate():
    with numpyro.plate("stations", 3):
        return numpyro.sample("rainfall", dist.Normal(20.0, 5.0))[0]


def one_object(model, number, calls):
    simulate = seed(model, rng_seed=number)
    return [simulate() for _ in range(calls)]


def traced(model, number, calls):
    simulate = seed(model, rng_seed=number)
    return [trace(simulate).get_trace()["rainfall"]["value"] for _ in range(calls)]


def one_key(model, number, calls):
    return [seed(model, rng_seed=key)() for key in random.split(random.key(number), calls)]


def numbers(model, number, calls):
    return [seed(model, rng_seed=number + place)() for place in range(calls)]


def block(model, number, calls):
    with seed(rng_seed=number):
        return [model() for _ in range(calls)]


def loop_inside(model, number, calls):
    def loop():
        return [model() for _ in range(calls)]

    return seed(loop, rng_seed=number)()


def in_lanes(model, number, calls):
    keys = random.split(random.PRNGKey(number), calls)
    return list(jax.vmap(lambda key: seed(model, rng_seed=key)())(keys))


def handler_block(model, number, calls):
    """One handler that is entered anew for each call."""
    handler = seed(rng_seed=number)
    days = []
    for _ in range(calls):
        with handler:
            days.append(model())
    return days


def block_each(model, number, calls):
    days = []
    for _ in range(calls):
        with seed(rng_seed=number):
            days.append(model())
    return days


def key_split_outside(model, number, calls):
    """A key is split before the loop, and the same half used in each call."""
    key, _ = random.split(random.PRNGKey(number))
    return [seed(model, rng_seed=key)() for _ in range(calls)]


def three(way=one_object, cured=one_key, model=day, number=0, calls=6):
    different = lambda way: len({float(drawn) for drawn in way(model, number, calls)})
    return lambda: different(way), calls, lambda: different(cured)


vary("six calls", "silent", "holds", then=("right", "holds"))(lambda: three())
vary("another seed, forty calls", "silent", "holds", then=("right", "holds"))(
    lambda: three(number=9, calls=40)
)
vary("one call", "right", "holds")(lambda: three(calls=1))
vary("Gamma", "silent", "holds", then=("right", "holds"))(lambda: three(model=wet))
vary("a plate", "silent", "holds", then=("right", "holds"))(lambda: three(model=plate))
vary("get_trace", "silent", "holds", then=("right", "holds"))(lambda: three(traced))
vary("the cure is a block", "silent", "holds", then=("right", "holds"))(lambda: three(cured=block))
vary("the cure is a number for each call", "silent", "holds", then=("right", "holds"))(
    lambda: three(cured=numbers)
)
vary("the cure is the loop inside", "silent", "holds", then=("right", "holds"))(
    lambda: three(cured=loop_inside)
)
vary("the cure is vmap over keys", "silent", "holds", then=("right", "holds"))(
    lambda: three(cured=in_lanes)
)
vary("one handler, entered again", "silent", "holds", then=("right", "holds"))(
    lambda: three(cured=handler_block)
)
vary("looks right: a block for each call", "silent", "falls", then=("right", "falls"))(
    lambda: three(cured=block_each)
)
vary("looks right: one half of a split key", "silent", "falls", then=("right", "falls"))(
    lambda: three(cured=key_split_outside)
)


@vary("a step of lax.scan; keys as its inputs", "silent", "holds")
def _():
    def day(scale):
        return numpyro.sample("rain", dist.Weibull(scale=scale, concentration=1.5))

    simulate = functools.partial(seed(day, jax.random.key(5)), 2.0)
    drawn = lambda step, xs: len(np.unique(jax.lax.scan(step, None, xs, length=6)[1]))
    one = lambda carry, key: (carry, seed(day, key)(2.0))
    return (
        lambda: drawn(lambda carry, _: (carry, simulate()), None),
        6,
        lambda: drawn(one, jax.random.split(jax.random.key(5), 6)),
    )


@vary("a class that keeps its seeded model", "silent", "holds", then=("right", "holds"))
def _():
    class Simulator:
        def __init__(self, number):
            self.run = seed(self.model, rng_seed=number)

        def model(self, n):
            with numpyro.plate("n", n):
                return numpyro.sample("x", dist.Poisson(100.0))

    def distinct(call):
        return len({tuple(np.asarray(call(i)).tolist()) for i in range(5)})

    kept = Simulator(0)
    new = lambda i: Simulator(i).run(3)
    return lambda: distinct(lambda i: kept.run(3)), 5, lambda: distinct(new)
