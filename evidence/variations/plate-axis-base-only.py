"""Variations of *A shift without the plate's axis exchanges days and stations*: log densities."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.contrib.control_flow import scan
from numpyro.distributions.transforms import AffineTransform, ExpTransform, PowerTransform
from numpyro.infer.util import log_density
from scipy import stats

from evidence.variation import vary

jax.config.update("jax_disable_most_optimizations", True)
OLD = ("IndexError", "IndexError")


def shifted(size, loc_axis, scale_axis, base="ones", scale=1.0):
    ones = jnp.ones(size)

    def of(shift):
        standard = dist.Normal(0.0 * ones, 1.0) if base == "ones" else dist.Normal(0.0, 1.0)
        if base == "expand":
            standard = standard.expand([size])
        each = AffineTransform(
            shift * ones if loc_axis else shift, scale * ones if scale_axis else scale
        )
        whole = dist.TransformedDistribution(standard, each)
        return whole.expand([size]) if base == "whole" else whole

    return of


def three(got, cured, days=3, size=3, scale=1.0, number=8):
    shifts = 2.0 * np.arange(days)
    readings = shifts[:, None] + np.random.default_rng(number).normal(size=(days, size))

    def density(of):
        def day(carry, inputs):
            shift, values = inputs
            with numpyro.plate("station", size):
                numpyro.sample("reading", of(shift), obs=values)
            return carry, None

        data = jnp.asarray(shifts), jnp.asarray(readings)
        return log_density(lambda: scan(day, None, data), (), {}, {})[0]

    exact = stats.norm(shifts[:, None], scale).logpdf(readings).sum()
    return lambda: density(got), exact, lambda: density(cured)


def sized(days, size, got=(False, True), **options):
    return three(
        shifted(size, *got, **options),
        shifted(size, True, True, **options),
        days,
        size,
        options.get("scale", 1.0),
    )


@vary("three days, three stations", "silent", "holds", then=OLD)
def _():
    return sized(3, 3)


@vary("three days, four stations", "ValueError", "holds", then=OLD)
def _():
    return sized(3, 4)


@vary("four days, one station", "silent", "holds", then=OLD)
def _():
    return sized(4, 1)


@vary("only the scale lacks the axis, one station", "silent", "holds", then=OLD)
def _():
    return sized(4, 1, got=(True, False))


@vary("only the scale lacks the axis, 3 by 3", "right", "holds", then=OLD)
def _():
    return sized(3, 3, got=(True, False))


@vary("another scale, lacking the axis, 4 by 1", "silent", "holds", then=OLD)
def _():
    return sized(4, 1, got=(True, False), scale=3.0)


@vary("one day, three stations", "right", "holds", then=OLD)
def _():
    return sized(1, 3)


@vary("looks right: expand on the base", "silent", "falls", then=OLD)
def _():
    return three(shifted(3, False, True), shifted(3, False, True, base="expand"))


@vary("looks right: expand on the whole", "silent", "falls", then=OLD)
def _():
    return three(shifted(3, False, True), shifted(3, False, False, base="whole"))


def _latent(law, law_of_day, values):
    """The density of a latent in a plate of three, over three days, and that by SciPy."""

    def density(axis):
        def day(carry, index):
            with numpyro.plate("gauge", size=3, dim=-1):
                numpyro.sample("flow", law(index, axis))
            return carry, None

        model = lambda: scan(f=day, init=None, xs=jnp.arange(3.0))
        return jax.jit(lambda at: log_density(model, (), {}, {"flow": at})[0])(jnp.asarray(values))

    expected = sum(law_of_day(day, row).sum() for day, row in enumerate(values))
    return lambda: density(1.0), expected, lambda: density(jnp.ones(3))


@vary("a latent Gumbel, affine then exp, by keyword", "silent", "holds", then=OLD)
def _():
    def law(day, axis):
        affine = AffineTransform(loc=day * axis, scale=2.0 * axis)
        base = dist.Gumbel(loc=jnp.zeros(3), scale=jnp.ones(3))
        return dist.TransformedDistribution(base, transforms=[affine, ExpTransform()])

    values = np.random.default_rng(1).uniform(1.0, 9.0, (3, 3))
    by_scipy = lambda day, row: stats.gumbel_r(day, 2.0).logpdf(np.log(row)) - np.log(row)
    return _latent(law, by_scipy, values)


@vary("a power that changes from day to day", "silent", "holds", then=OLD)
def _():
    def law(day, axis):
        base = dist.Gamma(2.0 * jnp.ones(3), jnp.ones(3))
        return dist.TransformedDistribution(base, PowerTransform((day + 1.0) * axis))

    def by_scipy(day, row):
        inner = row ** (1 / (day + 1))
        return stats.gamma(2.0).logpdf(inner) - np.log((day + 1) * inner**day)

    return _latent(law, by_scipy, np.random.default_rng(2).uniform(0.5, 2.0, (3, 3)))


def _hidden(make, axis, built, size=1):
    """A distribution that holds a transform, in four days, and the same built by hand."""
    ones = jnp.ones(size)
    values = np.random.default_rng(3).uniform(0.5, 2.0, (4, size))

    def density(of):
        def day(carry, inputs):
            day, row = inputs
            with numpyro.plate("gauge", size):
                numpyro.sample("flow", of(day * ones if axis or of is built else day), obs=row)
            return carry, None

        data = jnp.arange(1.0, 5.0), jnp.asarray(values)
        return log_density(lambda: scan(day, None, data), (), {}, {})[0]

    exact = sum(make(day + 1.0).log_prob(row).sum() for day, row in enumerate(values))
    return lambda: density(make), exact, lambda: density(built)


def _gamma(day):
    return dist.InverseGamma(2.0, day)


def _power(day):
    return dist.TransformedDistribution(dist.Gamma(2.0, day), PowerTransform(-jnp.ones(day.shape)))


def _pareto(day):
    return dist.Pareto(0.1 * day, 2.0)


def _exponential(day):
    each = AffineTransform(jnp.zeros(day.shape), 0.1 * day)
    return dist.TransformedDistribution(
        dist.Exponential(2.0 * jnp.ones(day.shape)), [ExpTransform(), each]
    )


SHOWN = {"then": ("silent", "IndexError")}
vary("an inverse gamma with the axis", "silent", "holds", **SHOWN)(
    lambda: _hidden(_gamma, True, _power)
)
vary("a Pareto with the axis", "silent", "holds", **SHOWN)(
    lambda: _hidden(_pareto, True, _exponential)
)
vary(
    "an inverse gamma without the axis, three gauges",
    "right",
    "holds",
    then=("right", "IndexError"),
)(lambda: _hidden(_gamma, False, _power, size=3))


@vary("64 bits", "silent", "holds", then=OLD)
def _():
    jax.config.update("jax_enable_x64", True)  # until the end, so this row is the last
    return sized(3, 3)
