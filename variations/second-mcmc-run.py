"""Variations of *A second run of MCMC uses the old data and the old prior*.

How far the second run's mean is from the right one, rounded.
"""

import functools

import jax
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.infer import MCMC, BarkerMH

from tools.variations import vary

jax.config.update("jax_disable_most_optimizations", True)
usual = 0.0


def with_global(readings):
    level = numpyro.sample("level", dist.Normal(usual, 0.1))
    numpyro.sample("readings", dist.Normal(level, 1.0), obs=readings)


def with_argument(readings, mean):
    level = numpyro.sample("level", dist.Normal(mean, 0.1))
    numpyro.sample("readings", dist.Normal(level, 1.0), obs=readings)


def alone(readings):
    return (readings,)


def both(readings):
    return np.array(readings), usual


def correct(readings):
    global usual
    usual = 5.0
    readings += 50.0


def only_usual(readings):
    global usual
    usual = 5.0


def only_data(readings):
    readings += 50.0


@functools.cache
def off(
    change,
    model=with_global,
    args=alone,
    number=1,
    size=5,
    new=False,
    clear=False,
    dtype=float,
    **more,
):
    global usual
    usual, readings = 0.0, np.linspace(1.4, 2.3, size, dtype=dtype)
    make = lambda: BarkerMH(model, step_size=0.15, adapt_step_size=False)
    options = {"num_warmup": 99, "num_samples": 999, "progress_bar": False, **more}
    mcmc = MCMC(make(), **options)
    mcmc.run(jax.random.PRNGKey(number), *args(readings))
    change(readings)
    mcmc = MCMC(make(), **options) if new else mcmc
    if clear:
        jax.clear_caches()
    mcmc.run(jax.random.PRNGKey(number), *args(readings))
    right = (100 * usual + readings.sum()) / (100 + size)
    return np.round(mcmc.get_samples()["level"].mean() - right)


def three(change=correct, cured=None, **options):
    cured = cured or {"model": with_argument, "args": both}
    return lambda: off(change, **options), 0.0, lambda: off(change, **{**options, **cured})


vary("data and prior change", "silent", "holds")(lambda: three())
vary("only the data, in place", "silent", "holds", then=("right", "holds"))(
    lambda: three(only_data)
)
vary("only the data, in place, in float32", "right", "holds")(
    lambda: three(only_data, dtype=np.float32)
)
vary("only the prior, a global", "silent", "holds")(lambda: three(only_usual))
# `BarkerMH` keeps the potential of the first run; with NUTS the cure holds.
vary("jit_model_args=True, and BarkerMH", "silent", "falls")(lambda: three(jit_model_args=True))
vary("the cure is jax.clear_caches()", "silent", "holds")(lambda: three(cured={"clear": True}))
vary("looks right: a new MCMC and kernel", "silent", "falls", then=("silent", "holds"))(
    lambda: three(cured={"new": True})
)
