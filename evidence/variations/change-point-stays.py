"""Variations of *A change point stays where it began*: the fitted place."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.infer import MCMC, NUTS, SVI, Trace_ELBO
from numpyro.infer.autoguide import AutoDelta
from scipy import stats

from evidence.variation import vary

DAYS = np.arange(40)
SERIES = np.where(DAYS < 25, 1.0, 4.0) + np.random.default_rng(0).normal(size=40)
SPLITS = [((SERIES - np.where(day > DAYS, 1.0, 4.0)) ** 2).sum() for day in range(1, 40)]
BEST = 1.0 + np.argmin(SPLITS)


def squares(level):
    return ((SERIES - level) ** 2).mean()


def compared(day):
    return squares(jnp.where(day > DAYS, 1.0, 4.0))


def rounded(day):
    return squares(jnp.where(jnp.round(day) > DAYS, 1.0, 4.0))


def as_integer(day):
    return squares(jnp.where(day.astype(int) > DAYS, 1.0, 4.0))


def looked_up(day):
    return squares(jnp.array([1.0, 4.0])[jnp.clip(jnp.floor(DAYS - day), -1, 0).astype(int) + 1])


def smooth(width):
    return lambda day: squares(1.0 + 3.0 * jax.nn.sigmoid((DAYS - day + 0.5) / width))


def descend(loss, start=10.0, size=5.0):
    day = jnp.float32(start)
    step = jax.jit(lambda day: day - size * jax.grad(loss)(day))
    for _ in range(300):
        day = step(day)
    return jnp.ceil(day - 0.5) if loss not in HARD else day


def summed():
    days = np.arange(1, 40)
    each = jax.vmap(lambda day: -0.5 * 40 * compared(day))(days)
    return float(days[jnp.argmax(jax.nn.softmax(each))])


HARD = [compared, rounded, as_integer, looked_up]
NAMES = ["a comparison", "round", "astype(int)", "an index by floor"]
for name, loss in zip(NAMES, HARD, strict=True):
    vary(name, "silent", "holds")(lambda loss=loss: (descend(loss), BEST, summed))

vary("another start, a larger step", "silent", "holds")(
    lambda: (descend(compared, 31.0, 500.0), BEST, summed)
)
vary("the cure is a change that takes two days", "silent", "holds")(
    lambda: (descend(compared), BEST, lambda: descend(smooth(2.0)))
)
vary("looks right: a change that takes a hundredth of a day", "silent", "falls")(
    lambda: (descend(compared), BEST, lambda: descend(smooth(0.01)))
)


@vary("NUTS looks at the density, too", "right", "holds")
def _():
    def model():
        day = numpyro.sample("day", dist.Uniform(0.0, 40.0))
        numpyro.factor("series", -0.5 * 40 * compared(day))

    def median():
        mcmc = MCMC(NUTS(model), num_warmup=500, num_samples=2000, progress_bar=False)
        mcmc.run(jax.random.PRNGKey(0))
        return np.ceil(np.median(mcmc.get_samples()["day"]))

    return median, BEST, summed


@vary("levels picked by an index, thirty weeks", "silent", "holds")
def _():
    weeks = np.arange(30)
    series = np.where(weeks < 12, 3.0, -1.0) + np.random.default_rng(4).normal(0.0, 0.5, 30)

    def squares(week, levels):
        return jnp.sum((series - levels[(weeks >= week).astype(int)]) ** 2)

    def descend(loss, fit):
        step = lambda fit, slope: fit - 0.01 * slope
        move = lambda _, fit: jax.tree_util.tree_map(step, fit, jax.grad(loss)(fit))
        return jax.jit(lambda fit: jax.lax.fori_loop(0, 1000, move, fit))(fit)

    every = jax.vmap(squares, (0, None))
    summed = lambda levels: -jax.nn.logsumexp(-0.5 * every(jnp.arange(1, 30), levels))
    best = lambda levels: 1 + every(jnp.arange(1, 30), levels).argmin()
    hard = lambda: descend(lambda fit: squares(*fit), (20.0, jnp.zeros(2)))[0]
    return hard, 12, lambda: best(descend(summed, jnp.zeros(2)))


@vary("counts in NumPyro, AutoDelta and a factor", "silent", "holds")
def _():
    years = np.arange(40)
    counts = np.random.default_rng(5).poisson(np.where(years < 16, 6.0, 1.0))

    def rates():
        return numpyro.sample("rates", dist.Gamma(2.0, 1.0).expand([2]).to_event(1))

    def hard():
        year = numpyro.sample("year", dist.Uniform(0.0, 40.0))
        rate = jnp.where(years < year, *rates())
        numpyro.sample("count", dist.Poisson(rate), obs=counts)

    def each(rates):
        rate = jnp.where(years < np.arange(1, 40)[:, None], *rates)
        return dist.Poisson(rate).log_prob(counts).sum(axis=1)

    def summed():
        numpyro.factor("counts", jax.nn.logsumexp(each(rates())))

    def fit(model):
        svi = SVI(model, AutoDelta(model), numpyro.optim.Adam(0.05), Trace_ELBO())
        found = svi.run(jax.random.PRNGKey(1), 600, progress_bar=False).params
        best = lambda rates: 1 + each(rates).argmax()
        return found["year_auto_loc"] if model is hard else best(found["rates_auto_loc"])

    split = lambda year: stats.poisson.logpmf(
        counts, np.where(years < year, counts[:year].mean(), counts[year:].mean())
    ).sum()
    return lambda: fit(hard), max(range(1, 40), key=split), lambda: fit(summed)
