"""Variations of *A trend over calendar years is slow to sample, and wrong*: the fitted slope."""

import jax
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.infer import MCMC, NUTS, init_to_median

from evidence.variation import vary

YEARS = np.arange(1990.0, 2020.0)
NOISE = np.random.default_rng(0).normal(size=30)
OFF = 0.25


def model(x, y):
    intercept = numpyro.sample("intercept", dist.Normal(0.0, 100.0))
    slope = numpyro.sample("slope", dist.Normal(0.0, 10.0))
    scale = numpyro.sample("scale", dist.HalfNormal(1.0))
    numpyro.sample("y", dist.Normal(intercept + slope * x, scale), obs=y)


def fit(x, y, seed=0, warmup=200, **options):
    mcmc = MCMC(NUTS(model, **options), num_warmup=warmup, num_samples=200, progress_bar=False)
    mcmc.run(jax.random.key(seed), x, y)
    return float(mcmc.get_samples()["slope"].mean())


def standard(x):
    return (x - x.mean()) / x.std()


def by_standard(x, y, **options):
    return fit((x - x.mean()) / x.std(), y, **options) / x.std()


def hit(x=YEARS, slope=0.02, cure=by_standard, **options):
    """Whether the slope is near that of least squares, by NUTS and by the cure."""
    y = 14.0 + slope * (x - x.mean()) + 0.1 * NOISE
    right = np.polyfit(x, y, 1)[0]

    def near(value):
        return abs(value - right) < OFF * abs(right)

    return near(fit(x, y, **options)), True, lambda: near(cure(x, y, **options))


for seed in (1, 2):
    vary(f"seed {seed}", "silent", "holds")(lambda seed=seed: hit(seed=seed))
vary("a falling trend", "silent", "holds")(lambda: hit(slope=-0.02))
vary("temperatures in kelvin", "right", "holds")(
    lambda: hit(np.linspace(285.0, 287.0, 30), slope=0.1)
)
vary("begun at the median of the prior", "silent", "holds")(
    lambda: hit(init_strategy=init_to_median)
)
vary("a thousand draws of warm-up", "right", "holds")(lambda: hit(warmup=1000))
vary("the cure is the mean alone", "silent", "holds")(
    lambda: hit(cure=lambda x, y: fit(x - x.mean(), y))
)
vary("years since 1990", "right", "holds")(lambda: hit(YEARS - 1990.0))
vary("looks right: dense_mass", "silent", "falls")(
    lambda: hit(cure=lambda x, y: fit(x, y, dense_mass=True))
)
vary("looks right: one more doubling", "silent", "falls")(
    lambda: hit(cure=lambda x, y: fit(x, y, max_tree_depth=11))
)
vary("looks right: smaller steps", "silent", "falls")(
    lambda: hit(cure=lambda x, y: fit(x, y, target_accept_prob=0.95))
)


def in_float64():
    jax.clear_caches()
    jax.config.update("jax_enable_x64", True)
    return hit(seed=3, cure=lambda x, y, seed: fit(x, y, seed))


vary("looks right: float64", "silent", "falls")(in_float64)
