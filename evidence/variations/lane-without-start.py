"""Variations of *A lane with missing data returns its random start*.

How many of the lanes count as fitted: those with a finite level, or with a finite loss.
"""

import functools

import jax
import numpy as np
import numpyro
import numpyro.distributions as dist
from jax import lax, random
from numpyro.infer import MCMC, NUTS, SVI, Trace_ELBO
from numpyro.infer.autoguide import AutoDelta, AutoNormal
from numpyro.optim import Adam

from evidence.variation import vary

jax.config.update("jax_disable_most_optimizations", True)
TANKS = np.float32([[1.2, 0.4, 2.1], [np.nan, 3.0, 2.5], [-1.0, -0.2, -1.1]])


def normal(readings):
    level = numpyro.sample("level", dist.Normal(0.0, 2.0))
    numpyro.sample("readings", dist.Normal(level, 1.0), obs=readings)


def gamma(readings):
    level = numpyro.sample("level", dist.Gamma(2.0, 1.0))
    numpyro.sample("readings", dist.Gamma(level, 1.0, validate_args=True), obs=readings)


def bounded(readings):
    high = numpyro.sample("level", dist.Uniform(0.0, 10.0))
    numpyro.sample("readings", dist.Uniform(0.0, high, validate_args=True), obs=readings)


def fit(model, guide, method, steps, rng_key, readings):
    svi = SVI(model, guide(model), Adam(0.1), Trace_ELBO())
    update = lambda state, _: getattr(svi, method)(state, readings)
    state, losses = lax.scan(update, svi.init(rng_key, readings), None, length=steps)
    return svi.get_params(state)["level_auto_loc"], losses


def three(tanks=TANKS, right=2, model=normal, guide=AutoDelta, method="stable_update", **options):
    tanks = np.float32(tanks)
    fitted = options.get("fitted", lambda losses: np.isfinite(losses[:, -1]))

    @functools.cache
    def run():
        keys = random.split(random.PRNGKey(options.get("number", 0)), len(tanks))
        one = lambda key, readings: fit(model, guide, method, 100, key, readings)
        if options.get("vmap", True):
            return jax.jit(jax.vmap(one))(keys, tanks)
        return one(keys[1], tanks[1])

    levels = lambda: int(np.isfinite(run()[0]).sum())
    return levels, right, lambda: int(np.sum(fitted(run()[1])))


def first_loss(losses):
    return np.isfinite(losses[:, 0])


def any_loss(losses):
    return np.isfinite(losses).any(axis=1)


BELOW = [
    [1.0, 2.0, 0.5],
    [3.0, 2.0, 0.5],
]  # the best bound is the largest reading: all fits pass it
vary("three tanks, as on the page", "silent", "holds")(lambda: three())
vary("another seed, one tank", "silent", "holds")(lambda: three(TANKS[1:2], 0, number=5))
vary("infinity instead of NaN", "silent", "holds")(
    lambda: three(np.where(np.isnan(TANKS), np.inf, TANKS))
)
vary("update instead of stable_update", "right", "holds")(lambda: three(method="update"))
vary("AutoNormal", "silent", "holds")(lambda: three(guide=AutoNormal))
vary("no vmap", "RuntimeError", "RuntimeError")(lambda: three(vmap=False))
vary("outside of the support", "silent", "holds")(
    lambda: three([[1.0, 2.0, 0.5], [-1.0, 2.0, 0.5]], 1, gamma)
)
vary("a bound that sinks below the data", "silent", "holds")(lambda: three(BELOW, 0, bounded))
vary("looks right: the first loss", "silent", "falls")(
    lambda: three(BELOW, 0, bounded, fitted=first_loss)
)
vary("looks right: any of the losses", "silent", "falls")(
    lambda: three(BELOW, 0, bounded, fitted=any_loss)
)


@vary("SVI.run in a class, lanes by in_axes", "silent", "holds")
def _():
    class Shop:
        def model(self, counts):
            rate = numpyro.sample("rate", dist.Gamma(concentration=2.0, rate=1.0))
            with numpyro.plate("days", counts.shape[0]):
                numpyro.sample("sold", dist.Poisson(rate), obs=counts)

        def fit(self, key, counts):
            svi = SVI(self.model, AutoDelta(self.model), Adam(0.1), Trace_ELBO())
            done = svi.run(key, 60, counts, progress_bar=False, stable_update=True)
            return done.params["rate_auto_loc"], done.losses[-1]

    counts = np.float32([[1, 3], [2, np.nan]])
    found = jax.vmap(Shop().fit, in_axes=(None, 0))(random.key(0), counts)
    finite = [np.isfinite(np.asarray(part)).tolist() for part in found]
    return finite[0], [True, False], finite[1]


@vary("chains of NUTS: the potential is the loss", "silent", "holds")
def _():
    def model(readings):
        level = numpyro.sample("level", dist.Normal(0.0, 2.0))
        numpyro.sample("readings", dist.Normal(level, 1.0), obs=readings)

    def fit(key, readings):
        mcmc = MCMC(NUTS(model), num_warmup=20, num_samples=20, progress_bar=False)
        mcmc.run(key, readings, extra_fields=("potential_energy",))
        energy = mcmc.get_extra_fields()["potential_energy"]
        return mcmc.get_samples()["level"].mean(), energy[-1]

    readings = np.float32([[1.0, 2.0], [np.nan, 2.0]])
    found = jax.jit(jax.vmap(fit))(random.split(random.key(0), 2), readings)
    finite = [np.isfinite(np.asarray(part)).tolist() for part in found]
    return finite[0], [True, False], finite[1]
