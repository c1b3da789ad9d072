"""Variations of *A mini-batch without the plate's full size counts as all the data*.

Each gives the average log likelihood over the batches at a mean, less that at another.
"""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.handlers import scale, seed
from numpyro.infer.util import log_density
from scipy import stats

from tools.variations import vary

RATINGS = np.random.default_rng(0).normal(3.0, 1.0, size=80)
PRIOR = stats.norm(0.0, 1.0).logpdf(3.0) - stats.norm(0.0, 1.0).logpdf(2.0)
EXACT = PRIOR + (stats.norm(3.0).logpdf(RATINGS) - stats.norm(2.0).logpdf(RATINGS)).sum()


def model_of(plate, likelihood=dist.Normal):
    def model(batch):
        mean = numpyro.sample("mean", dist.Normal(0.0, 1.0))
        with plate(batch):
            numpyro.sample("rating", likelihood(mean, 1.0), obs=batch)

    return model


def batch_only(batch):
    return numpyro.plate("rows", len(batch))


def full(batch):
    return numpyro.plate("rows", 80, subsample_size=len(batch))


def no_plate(batch):
    return numpyro.handlers.block(hide=[])


def gain(model, size=20):
    batches = jnp.asarray(RATINGS.reshape(-1, size))
    of = lambda batch, mean: log_density(seed(model, 0), (batch,), {}, {"mean": mean})[0]
    each = jax.jit(jax.vmap(lambda batch: of(batch, 3.0) - of(batch, 2.0)))
    return each(batches).mean()


def three(wrong, right, size=20):
    return lambda: gain(wrong, size), EXACT, lambda: gain(right, size)


def subsampled(batch):
    mean = numpyro.sample("mean", dist.Normal(0.0, 1.0))
    with numpyro.plate("rows", 80, subsample_size=80):
        part = numpyro.subsample(jnp.asarray(RATINGS), event_dim=0)
        numpyro.sample("rating", dist.Normal(mean, 1.0), obs=part)


def scaled_site(batch):
    mean = numpyro.sample("mean", dist.Normal(0.0, 1.0))
    with scale(scale=4.0), numpyro.plate("rows", len(batch)):
        numpyro.sample("rating", dist.Normal(mean, 1.0), obs=batch)


WRONG, RIGHT = model_of(batch_only), model_of(full)
vary("batches of twenty", "silent", "holds")(lambda: three(WRONG, RIGHT))
vary("batches of four", "silent", "holds")(lambda: three(WRONG, RIGHT, 4))
vary("no plate at all", "silent", "holds")(lambda: three(model_of(no_plate), RIGHT))
vary("one batch", "right", "holds")(lambda: three(WRONG, RIGHT, 80))
vary("the cure is a scale around the site", "silent", "holds")(lambda: three(WRONG, scaled_site))
vary("the cure is numpyro.subsample", "silent", "holds")(lambda: three(WRONG, subsampled))
vary("looks right: a scale around the model", "silent", "falls")(
    lambda: three(WRONG, scale(WRONG, scale=4.0))
)
