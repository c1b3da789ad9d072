"""Variations of *In float32 a likelihood prefers the wrong parameter*: the best concentration."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro.distributions as dist
from scipy import stats

from evidence.variation import vary

jax.config.update("jax_disable_most_optimizations", True)
GRID = 10.0 ** np.arange(9)


def data(number=0, n=1000, mean=100.0, concentration=10):
    share = concentration / (concentration + mean)
    return np.random.default_rng(number).negative_binomial(concentration, share, n)


def binomial(mean):
    return lambda c: dist.NegativeBinomial2(mean, c)


def gamma(c):
    return dist.GammaPoisson(c, c / 100.0)


def inflated(c):
    return dist.ZeroInflatedNegativeBinomial2(100.0, c, gate=0.001)


def inverse(c):
    return dist.NegativeBinomial2(100.0, 1 / (1 / c))


def best(of, counts, grid=GRID, wide=False):
    jax.config.update("jax_enable_x64", wide)
    try:
        each = of(jnp.asarray(grid)[:, None]).log_prob(jnp.asarray(counts)).sum(axis=1)
        return np.log10(grid[np.argmax(each)])
    finally:
        jax.config.update("jax_enable_x64", False)


def three(of=None, cure=None, bounded=False, wide=True, mean=100.0, **options):
    counts, n = data(mean=mean, **options), GRID[:, None]
    expected = np.log10(GRID[np.argmax(stats.nbinom(n, n / (n + mean)).logpmf(counts).sum(1))])
    of = of or binomial(mean)
    grid = GRID[:4] if bounded else GRID
    return lambda: best(of, counts), expected, lambda: best(cure or of, counts, grid, wide)


vary("as on the page", "silent", "holds")(lambda: three())
vary("another seed", "silent", "holds")(lambda: three(number=1))
vary("less overdispersion", "silent", "holds")(lambda: three(number=4, concentration=100))
vary("mean 20: rounded the other way", "right", "holds", then=("silent", "holds"))(
    lambda: three(number=2, n=200, mean=20.0)
)
vary("GammaPoisson", "silent", "holds")(lambda: three(gamma))
vary("zero-inflated", "silent", "holds")(lambda: three(inflated))
vary("the cure is a bound at 1e3", "silent", "holds")(lambda: three(bounded=True, wide=False))


@vary("TruncatedNormal with two bounds, six deviations away", "silent", "holds")
def truncated():
    values = stats.truncnorm(0, 4, 7.0).rvs(1000, random_state=0)
    means = np.arange(1.0, 10.0)
    right = stats.truncnorm(7 - means[:, None], 11 - means[:, None], means[:, None]).logpdf(values)
    expected = np.log10(means[np.argmax(right.sum(axis=1))])
    of = lambda mean: dist.TruncatedNormal(mean, low=7.0, high=11.0)
    return lambda: best(of, values, means), expected, lambda: best(of, values, means, wide=True)


@vary("TruncatedNormal with two bounds, turned around, in float32", "silent", "holds")
def turned():
    values = stats.truncnorm(0, 4, 7.0).rvs(100, random_state=1)
    means = np.arange(-3.0, 2.0)
    right = stats.truncnorm(7 - means[:, None], 11 - means[:, None], means[:, None]).logpdf(values)
    expected = right.sum(axis=1)
    of = lambda mean, x: dist.TruncatedNormal(mean[:, None], 1, low=7.0, high=11.0).log_prob(x)
    back = lambda mean, x: dist.TruncatedNormal(-mean[:, None], 1, low=-11.0, high=-7.0).log_prob(
        -x
    )
    sums = lambda of: lambda: np.asarray(jax.jit(of)(means, values).sum(axis=1))
    return sums(of), expected, sums(back)


@vary("TruncatedNormal with a lower bound alone, the slope by its scale", "silent", "holds")
def alone():
    def slope(wide):
        jax.config.update("jax_enable_x64", wide)
        try:
            of = lambda scale: dist.TruncatedNormal(-3.0, scale, low=0.0).log_prob(0.01)
            return jax.jit(jax.grad(of))(0.2)
        finally:
            jax.config.update("jax_enable_x64", False)

    of = lambda scale: stats.truncnorm(3 / scale, np.inf, -3, scale).logpdf(0.01)
    by_differences = (of(0.2001) - of(0.1999)) / 2e-4
    return lambda: slope(False), by_differences, lambda: slope(True)


@vary("looks right: the bound for a thousand, with a hundred thousand counts", "silent", "falls")
def more():
    counts, grid = data(n=100_000, concentration=3000), np.linspace(500.0, 10_000.0, 20)
    n = grid[:, None]
    right = stats.nbinom(n, n / (n + 100.0)).logpmf(counts).sum(axis=1)
    below = lambda: best(binomial(100.0), counts, grid)
    return lambda: best(binomial(100.0), counts), np.log10(grid[np.argmax(right)]), below


vary("looks right: its inverse as the parameter", "silent", "falls")(
    lambda: three(cure=inverse, wide=False)
)


@vary("a Poisson of a million, as a class in a model", "silent", "holds")
def _():
    counts = np.random.default_rng(2).poisson(1e6, size=50)

    class Rate:
        def __init__(self, rate):
            self.law = dist.Poisson(rate=rate)

        def __call__(self):
            return self.law.log_prob(jnp.asarray(counts)).sum()

    def difference(wide):
        jax.config.update("jax_enable_x64", wide)
        try:
            return float(jax.jit(lambda: Rate(1e6)() - Rate(1.0005e6)())())
        finally:
            jax.config.update("jax_enable_x64", False)

    by_scipy = stats.poisson(1e6).logpmf(counts) - stats.poisson(1.0005e6).logpmf(counts)
    return lambda: difference(False), by_scipy.sum(), lambda: difference(True)


@vary("the slope of a StudentT by its degrees", "silent", "holds")
def _():
    values = np.random.default_rng(3).normal(size=200)
    by_numpyro = lambda df: dist.StudentT(df, loc=0, scale=1).log_prob(values).sum()

    def slope(wide):
        jax.config.update("jax_enable_x64", wide)
        try:
            return jax.grad(by_numpyro)(1e5)
        finally:
            jax.config.update("jax_enable_x64", False)

    of = lambda df: stats.t(df).logpdf(values).sum()
    by_differences = (of(1.1e5) - of(0.9e5)) / 2e4
    near = lambda wide: bool(abs(slope(wide) / by_differences - 1) < 0.1)
    return lambda: near(False), True, lambda: near(True)
