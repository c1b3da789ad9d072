"""Variations of *MCMC keeps every data set that it has seen*: data sets alive after two runs."""

import gc
import weakref

import jax
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.infer import HMC, MCMC, NUTS, BarkerMH

from evidence.variation import vary

jax.config.update("jax_disable_most_optimizations", True)


def model(y):
    mean = numpyro.sample("mean", dist.Normal(0.0, 10.0))
    with numpyro.plate("readings", len(y)):
        numpyro.sample("y", dist.Normal(mean, 1.0), obs=y)


def sampler(kernel=HMC, **options):
    return MCMC(kernel(model), num_warmup=1, num_samples=1, progress_bar=False, **options)


def alive(runs, tidy=lambda: None):
    """Return how many data sets are alive, of those that `runs` gives to a new or the same MCMC."""
    seen = []
    for number, mcmc in enumerate(runs):
        y = np.random.default_rng(number).normal(size=20)
        mcmc.run(jax.random.PRNGKey(number), y)
        seen.append(weakref.ref(y))
    del y, mcmc, runs
    tidy()
    gc.collect()
    return sum(kept() is not None for kept in seen)


def one(**options):
    return [sampler(**options)] * 2


def several(**options):
    return (sampler(**options) for _ in range(2))


cured = lambda: alive(one(jit_model_args=True))
vary("one object", "silent", "holds")(lambda: (alive(one()), 1, cured))
vary("a new object each time", "silent", "holds")(lambda: (alive(several()), 1, cured))
vary("NUTS", "silent", "holds")(
    lambda: (alive(one(kernel=NUTS)), 1, lambda: alive(one(kernel=NUTS, jit_model_args=True)))
)
vary("BarkerMH, whose first data set stayed as well", "silent", "holds", then=("silent", "falls"))(
    lambda: (
        alive(one(kernel=BarkerMH)),
        1,
        lambda: alive(one(kernel=BarkerMH, jit_model_args=True)),
    )
)
vary("looks right: jax.clear_caches", "silent", "falls")(
    lambda: (alive(one()), 1, lambda: alive(one(), jax.clear_caches))
)
vary("looks right: the option, with a new object each time", "silent", "falls")(
    lambda: (alive(one()), 1, lambda: alive(several(jit_model_args=True)))
)


@vary("data in a dict by keyword, a typed key", "silent", "holds")
def _():
    class Model:
        def __call__(self, *, data):
            with numpyro.plate("readings", len(data["y"])):
                mean = numpyro.sample("mean", dist.StudentT(3.0))
                numpyro.sample("y", dist.Normal(mean, scale=1.0), obs=data["y"])

    def kept(**options):
        seen = []
        mcmc = MCMC(HMC(Model()), num_warmup=1, num_samples=1, progress_bar=False, **options)
        for number in range(3):
            y = np.random.default_rng(number).normal(size=5)
            mcmc.run(jax.random.key(number), data={"y": y})
            seen.append(weakref.ref(y))
        del y
        gc.collect()
        return sum(one() is not None for one in seen)

    return kept, 1, lambda: kept(jit_model_args=True)


@vary("two chains, one after the other", "silent", "holds")
def _():
    chains = {"kernel": HMC, "num_chains": 2, "chain_method": "sequential"}
    return lambda: alive(one(**chains)), 1, lambda: alive(one(jit_model_args=True, **chains))
