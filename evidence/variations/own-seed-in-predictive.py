"""Variations of *A seeded model repeats its noise in Predictive*: how many noises differ."""

import jax
import numpy as np
import numpyro
import numpyro.distributions as dist
from jax import random
from numpyro.handlers import seed
from numpyro.infer import Predictive

from evidence.variation import vary

jax.config.update("jax_disable_most_optimizations", True)


def model():
    level = numpyro.sample("level", dist.Normal(20.0, 3.0))
    numpyro.sample("reading", dist.Normal(level, 2.0))


def poisson():
    level = numpyro.sample("level", dist.Normal(20.0, 3.0))
    numpyro.sample("reading", dist.Laplace(level, 2.0))


def block_inside():
    with seed(rng_seed=0):
        model()


def block_around_one():
    level = numpyro.sample("level", dist.Normal(20.0, 3.0))
    with seed(rng_seed=1):
        numpyro.sample("reading", dist.Normal(level, 2.0))


def own_key():
    level = numpyro.sample("level", dist.Normal(20.0, 3.0))
    numpyro.sample("reading", dist.Normal(level, 2.0), rng_key=random.PRNGKey(3))


def three(got, cured=model, draws=50, number=1, prior=False, **options):
    levels = np.random.default_rng(0).normal(20.0, 0.5, draws).astype("float32")
    given = {"num_samples": draws} if prior else {"posterior_samples": {"level": levels}}

    def different(model):
        drawn = Predictive(model, **given, **options)(random.PRNGKey(number))
        noise = np.asarray(drawn["reading"]) - np.asarray(drawn["level"] if prior else levels)
        return len(set(np.round(noise, 4).tolist()))

    return lambda: different(got), draws, lambda: different(cured)


def seeded(number=0, model=model):
    return seed(model, rng_seed=number)


vary("the model is wrapped", "silent", "holds")(lambda: three(seeded()))
vary("another seed, 200 draws", "silent", "holds")(lambda: three(seeded(7), draws=200, number=4))
vary("one draw", "right", "holds")(lambda: three(seeded(), draws=1))
vary("another distribution", "silent", "holds")(lambda: three(seeded(0, poisson), poisson))
vary("a block inside", "silent", "holds")(lambda: three(block_inside))
vary("a block around one site", "silent", "holds")(lambda: three(block_around_one))
vary("rng_key at the site", "silent", "holds")(lambda: three(own_key))
vary("draws of the prior", "silent", "holds")(lambda: three(seeded(), prior=True))
vary("parallel=True", "silent", "holds")(lambda: three(seeded(), parallel=True))
vary("the cure is .fn of the handler", "silent", "holds")(lambda: three(seeded(), seeded().fn))
vary("looks right: a seed of another number", "silent", "falls")(
    lambda: three(seeded(), seeded(99))
)
vary("looks right: seed again, around", "silent", "falls")(
    lambda: three(seeded(), seed(seeded(), rng_seed=random.PRNGKey(5)))
)


@vary("a seed block inside of the model", "silent", "holds")
def _():
    def with_block(level=None):
        with seed(rng_seed=7):
            return plain(level)

    def plain(level=None):
        level = numpyro.sample("level", dist.Gamma(concentration=20.0, rate=1.0))
        return numpyro.sample("reading", dist.StudentT(5.0, loc=level, scale=2.0))

    def distinct(model):
        drawn = Predictive(model, num_samples=30)(jax.random.key(1))
        return len(np.unique(np.asarray(drawn["reading"])))

    return lambda: distinct(with_block), 30, lambda: distinct(plain)


@vary("a seeded guide, by keyword", "silent", "holds")
def _():
    def model():
        level = numpyro.sample("level", dist.Normal(20.0, 3.0))
        numpyro.sample("reading", dist.Normal(level, 0.1))

    def guide():
        numpyro.sample("level", dist.Normal(numpyro.param("loc", 20.0), 0.5))

    def distinct(guide):
        drawn = Predictive(
            model, guide=guide, params={"loc": 19.0}, num_samples=30, return_sites=["level"]
        )
        return len(np.unique(np.asarray(drawn(jax.random.PRNGKey(1))["level"])))

    return lambda: distinct(seed(guide, rng_seed=3)), 30, lambda: distinct(guide)
