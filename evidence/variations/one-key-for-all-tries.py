"""Variations of *A seeded model gives every try of a search the same key*.

Lanes with a valid answer.
"""

import jax
import numpy as np
import numpyro
import numpyro.distributions as dist
from jax import lax, random
from numpyro.handlers import block, seed
from numpyro.infer import SVI, Trace_ELBO, init_to_sample
from numpyro.infer.autoguide import AutoDelta, AutoNormal
from numpyro.optim import Adam

from evidence.variation import vary

jax.config.update("jax_disable_most_optimizations", True)


def fitted(count):
    rate = numpyro.sample("rate", dist.Normal(0.0, 2.0))
    numpyro.sample("count", dist.Poisson(rate), obs=count)
    return rate


def model(count):
    numpyro.sample("forecast", dist.Normal(fitted(count), 1.0))


def valid(guided, lanes=16, number=2, guide=AutoDelta, single=False, **options):
    """Count the lanes that start at a positive rate; `guided` makes the guide's part."""

    def start(rng_key):
        lane_key, rng_key = random.split(rng_key)
        svi = SVI(model, guide(guided(lane_key), **options), Adam(0.1), Trace_ELBO())
        return svi.get_params(svi.init(rng_key, 4))["rate_auto_loc"]

    keys = random.split(random.PRNGKey(number), lanes)
    starts = np.array([start(key) for key in keys]) if single else jax.vmap(start)(keys)
    return int((np.asarray(starts) > 0).sum())


def seeded(lane_key):
    return block(lambda count: seed(model, rng_seed=lane_key)(count), hide=["forecast"])


def outer(lane_key):
    return block(lambda count: seed(model, rng_seed=numpyro.prng_key())(count), hide=["forecast"])


def without(lane_key):
    return fitted


@vary("sixteen lanes, as on the page", "silent", "holds")
def _():
    return valid(seeded), 16, valid(without)


@vary("another seed", "silent", "holds")
def _():
    return valid(seeded, number=7), 16, valid(without, number=7)


@vary("64 lanes", "silent", "holds")
def _():
    return valid(seeded, lanes=64), 64, valid(without, lanes=64)


@vary("start at a sample, not at the median", "silent", "holds")
def _():
    options = {"init_loc_fn": init_to_sample}
    return valid(seeded, **options), 16, valid(without, **options)


@vary("AutoNormal, whose start is uniform", "right", "holds")
def _():
    return valid(seeded, guide=AutoNormal), 16, valid(without, guide=AutoNormal)


@vary("no vmap: the rate is validated", "ValueError", "ValueError", then=("ValueError", "holds"))
def _():
    one_by_one = {"lanes": 4, "single": True}
    return lambda: valid(seeded, **one_by_one), 4, lambda: valid(without, **one_by_one)


@vary("looks right: prng_key() as the seed", "silent", "RuntimeError")
def _():
    return valid(seeded), 16, lambda: valid(outer)


@vary("looks right: block without seed", "silent", "holds", then=("silent", "AssertionError"))
def _():
    return valid(seeded), 16, lambda: valid(lambda key: block(model, hide=["forecast"]))


@vary("one key for all: one start, valid by luck", "silent", "holds")
def _():
    zero = lambda key: block(lambda count: seed(model, rng_seed=1)(count), hide=["forecast"])
    return valid(seeded), 16, lambda: valid(zero)


@vary("an exponential rate in a class, by lax.map", "silent", "holds")
def _():
    class Waits:
        def fitted(self, minutes):
            rate = numpyro.sample("rate", dist.Normal(loc=0.0, scale=1.0))
            numpyro.sample("minutes", dist.Exponential(rate=rate), obs=minutes)
            return rate

        def __call__(self, minutes):
            numpyro.sample("next", dist.Normal(self.fitted(minutes), 1.0))

    waits = Waits()

    def positive(wrap):
        def start(key):
            mine, key = random.split(key)
            model, guided = wrap(mine)
            svi = SVI(model, AutoDelta(guided), Adam(0.1), Trace_ELBO())
            return svi.get_params(svi.init(key, minutes=2.0))["rate_auto_loc"] > 0

        return lax.map(start, random.split(random.key(0), 12)).sum()

    def hidden(key):
        seeded = lambda minutes: seed(waits, rng_seed=key)(minutes)
        return waits, block(seeded, hide_fn=lambda site: site["name"] == "next")

    cured = lambda: positive(lambda key: (waits, waits.fitted))
    return lambda: positive(hidden), 12, cured
