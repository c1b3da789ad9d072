"""Variations of *A second run of MCMC uses the old data and the old prior*.

How far the second run's mean is from the right one, rounded.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.infer import MCMC, BarkerMH

from evidence.variation import vary

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


def by_name(readings):
    """Give the arguments by name, the data as an array of JAX."""
    return {"readings": jnp.array(readings), "mean": usual}


def shared(readings):
    """Give the array itself, which is changed in place later."""
    return readings, usual


def in_32_bits(readings):
    return jnp.asarray(readings, dtype=jnp.float32), jnp.asarray(usual, jnp.float32)


class Tank:
    def __call__(self, readings, mean):
        with_argument(readings, mean)


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
    key=jax.random.PRNGKey,
    **more,
):
    global usual
    usual, readings = 0.0, np.linspace(1.4, 2.3, size, dtype=dtype)
    make = lambda: BarkerMH(model, step_size=0.15, adapt_step_size=False)
    options = {"num_warmup": 99, "num_samples": 999, "progress_bar": False, **more}
    mcmc = MCMC(make(), **options)
    run = lambda given: (
        mcmc.run(key(number), **given) if isinstance(given, dict) else mcmc.run(key(number), *given)
    )
    run(args(readings))
    change(readings)
    mcmc = MCMC(make(), **options) if new else mcmc
    if clear:
        jax.clear_caches()
    run(args(readings))
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
vary("the cure by name, a JAX array", "silent", "holds")(
    lambda: three(cured={"model": with_argument, "args": by_name})
)
vary("the cure in a class, typed keys", "silent", "holds")(
    lambda: three(cured={"model": Tank(), "args": both, "key": jax.random.key})
)
vary("the cure in a partial", "silent", "holds")(
    lambda: three(cured={"model": functools.partial(with_argument), "args": both})
)
vary("the cure by asarray, with a dtype", "silent", "holds")(
    lambda: three(cured={"model": with_argument, "args": in_32_bits})
)
vary("looks right: arguments, and the same array", "silent", "falls", then=("silent", "holds"))(
    lambda: three(cured={"model": with_argument, "args": shared})
)
# `BarkerMH` keeps the potential of the first run; with NUTS the cure holds.
vary("jit_model_args=True, and BarkerMH", "silent", "falls")(lambda: three(jit_model_args=True))
vary("the cure is jax.clear_caches()", "silent", "holds")(lambda: three(cured={"clear": True}))
vary("looks right: a new MCMC and kernel", "silent", "falls", then=("silent", "holds"))(
    lambda: three(cured={"new": True})
)
