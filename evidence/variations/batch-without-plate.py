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

from evidence.variation import vary

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


@vary("counts, the size as a position, Gamma prior", "silent", "holds")
def _():
    counts = np.random.default_rng(1).poisson(4.0, size=1000)

    def model(batch, plate):
        rate = numpyro.sample("rate", dist.Gamma(2.0, 1.0))
        with plate(len(batch)):
            numpyro.sample("count", dist.Poisson(rate), obs=batch)

    def average(plate):
        of = lambda b: log_density(numpyro.handlers.seed(model, 0), (b, plate), {}, {"rate": 3.5})
        return np.mean([of(jnp.asarray(batch))[0] for batch in counts.reshape(20, 50)])

    expected = stats.gamma.logpdf(3.5, 2.0) + stats.poisson.logpmf(counts, 3.5).sum()
    return (
        lambda: average(lambda size: numpyro.plate("rows", size)),
        expected,
        lambda: average(lambda size: numpyro.plate("rows", 1000, size)),
    )


@vary("a latent per row, in two plates", "silent", "holds")
def _():
    table = np.random.default_rng(2).normal(1.0, 1.0, size=(600, 3))

    def model(batch, rows):
        mean = numpyro.sample("mean", dist.Normal(0.0, 5.0))
        with numpyro.plate("columns", 3, dim=-1), rows(len(batch)):
            own = numpyro.sample("own", dist.Normal(mean, 1.0))
            numpyro.sample("reading", dist.Normal(own, 0.5), obs=batch)

    def average(rows):
        def of(batch):
            values = {"mean": jnp.float32(0.8), "own": batch - 0.1}
            return log_density(numpyro.handlers.seed(model, 0), (batch, rows), {}, values)[0]

        return np.mean([of(jnp.asarray(batch)) for batch in table.reshape(12, 50, 3)])

    norm = stats.norm.logpdf
    expected = norm(0.8, 0.0, 5.0) + norm(table - 0.1, 0.8, 1.0).sum() + norm(0.1, 0, 0.5) * 1800
    return (
        lambda: average(lambda size: numpyro.plate("rows", size, dim=-2)),
        expected,
        lambda: average(lambda size: numpyro.plate("rows", 600, subsample_size=size, dim=-2)),
    )


def _last_is_smaller(size_of):
    ratings = np.random.default_rng(3).normal(3.0, 1.0, size=1050)
    batches = [ratings[start : start + 100] for start in range(0, 1050, 100)]

    def model(batch, plate):
        mean = numpyro.sample("mean", dist.Normal(0.0, 10.0))
        with plate(len(batch)):
            numpyro.sample("rating", dist.Normal(mean, 1.0), obs=batch)

    def gradient(plate):
        def of(mean):
            seeded = numpyro.handlers.seed(model, 0)
            every = [log_density(seeded, (b, plate), {}, {"mean": mean})[0] for b in batches]
            return sum(every) / len(every)

        return jax.grad(of)(2.0)

    expected = (ratings - 2.0).sum() - 2.0 / 100
    return (
        lambda: gradient(lambda size: numpyro.plate("rows", size)),
        expected,
        lambda: gradient(lambda size: numpyro.plate("rows", 1050, subsample_size=size_of(size))),
    )


vary("a smaller last batch, and a fixed size", "silent", "ValueError")(
    lambda: _last_is_smaller(lambda size: 100)
)
vary("a smaller last batch, not shuffled", "silent", "falls")(
    lambda: _last_is_smaller(lambda size: size)
)
