"""Variations of *In scan, a bound sinks below the data*: densities at three bounds."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.contrib.control_flow import scan
from numpyro.infer.util import log_density
from scipy import stats

from evidence.variation import vary

jax.config.update("jax_disable_most_optimizations", True)
numpyro.enable_validation()
BOUNDS = np.array([0.1, 0.4, 3.0])


def uniform(high, **options):
    return dist.Uniform(0.0, high, **options)


def shifted(low, **options):
    """An exponential that begins at a latent number."""
    affine = dist.transforms.AffineTransform(-low, 1.0)
    return dist.TransformedDistribution(dist.Exponential(1.0), affine, **options)


def with_strict_base(low):
    affine = dist.transforms.AffineTransform(-low, 1.0)
    base = dist.Exponential(1.0, validate_args=True)
    return dist.TransformedDistribution(base, affine, validate_args=True)


def pareto(low, **options):
    return dist.Pareto(low, 1.0, **options)


def expanded(high, **options):
    return dist.Uniform(0.0, high, **options).expand([1])


def masked(high, **options):
    return dist.Uniform(0.0, high, **options).mask(True)


def three(make=uniform, cured=None, readings=(1.0, 0.5, 2.0), exact=stats.uniform, **options):
    """`cured` makes the distribution of the cure."""
    readings = np.array(readings)

    def model(noise):
        high = numpyro.sample("high", dist.Uniform(0.0, 10.0))
        step = lambda carry, value: (carry, numpyro.sample("y", noise(high), obs=value))
        if options.get("plain"):
            return [
                numpyro.sample(f"y{n}", noise(high), obs=jnp.asarray(v))
                for n, v in enumerate(readings)
            ]
        if options.get("plate"):
            with numpyro.plate("readings", len(readings)):
                return numpyro.sample("y", noise(high), obs=jnp.asarray(readings))
        scan(step, None, jnp.asarray(readings))

    def densities(noise):
        score = lambda high: log_density(model, (noise,), {}, {"high": high})[0]
        if options.get("jit", True):
            return np.exp(jax.jit(jax.vmap(score))(BOUNDS))
        return np.exp([score(high) for high in BOUNDS])

    by_scipy = stats.uniform(0, 10).pdf(BOUNDS)
    if exact is stats.pareto:
        by_scipy = by_scipy * [stats.pareto(1.0, scale=b).pdf(readings).prod() for b in BOUNDS]
    elif exact is stats.expon:
        by_scipy = by_scipy * [stats.expon(-b).pdf(readings).prod() for b in BOUNDS]
    else:
        by_scipy = by_scipy * [stats.uniform(0, b).pdf(readings).prod() for b in BOUNDS]
    strict = cured or (lambda bound: make(bound, validate_args=True))
    return lambda: densities(make), by_scipy, lambda: densities(strict)


def inside(high):
    numpyro.enable_validation()
    return uniform(high)


def in_context(high):
    with numpyro.validation_enabled():
        return uniform(high)


def strict_inside(high):
    """Only the base is strict, and not what is made of it."""
    return dist.Uniform(0.0, high, validate_args=True).expand([])


vary("three readings", "silent", "holds", then=("NotImplementedError", "NotImplementedError"))(
    lambda: three()
)
vary("one reading", "silent", "holds", then=("NotImplementedError", "NotImplementedError"))(
    lambda: three(readings=(2.0,))
)
vary(
    "without jit and vmap", "silent", "holds", then=("NotImplementedError", "NotImplementedError")
)(lambda: three(jit=False))
vary(
    "the data allow all bounds",
    "right",
    "holds",
    then=("NotImplementedError", "NotImplementedError"),
)(lambda: three(readings=(0.05, 0.02)))
vary("Pareto, whose bound is below", "silent", "holds")(lambda: three(pareto, exact=stats.pareto))
vary(
    "looks right: the flag on a shifted exponential",
    "silent",
    "falls",
    then=("IndexError", "IndexError"),
)(lambda: three(shifted, readings=(-0.2, 0.5), exact=stats.expon))
vary(
    "a shifted exponential, its base strict", "silent", "holds", then=("IndexError", "IndexError")
)(lambda: three(shifted, with_strict_base, (-0.2, 0.5), stats.expon))
vary("a mask around it", "silent", "holds", then=("NotImplementedError", "NotImplementedError"))(
    lambda: three(masked)
)
vary("a plain loop", "right", "holds")(lambda: three(plain=True))
vary("a plate", "right", "holds")(lambda: three(plate=True))
vary(
    "expand of a strict one", "silent", "holds", then=("NotImplementedError", "NotImplementedError")
)(lambda: three(cured=strict_inside))
vary(
    "looks right: enable_validation in the step",
    "silent",
    "falls",
    then=("NotImplementedError", "NotImplementedError"),
)(lambda: three(cured=inside))
vary(
    "looks right: validation_enabled in the step",
    "silent",
    "falls",
    then=("NotImplementedError", "NotImplementedError"),
)(lambda: three(cured=in_context))


def _outside(law, value):
    """The density of a value outside of a support, in a scan; the cure is the flag."""

    def density(**strict):
        def step(carry, bound):
            return carry, numpyro.sample("x", law(bound, **strict), obs=value)

        model = lambda: scan(step, None, jnp.ones(2))
        return log_density(model, (), {}, {})[0]

    return lambda: density(), -np.inf, lambda: density(validate_args=True)


OLD = ("NotImplementedError", "NotImplementedError")
vary("a half-normal time below zero, by keyword", "silent", "holds")(
    lambda: _outside(lambda bound, **strict: dist.HalfNormal(scale=bound, **strict), -1.0)
)
vary("a truncated normal above its bound", "silent", "holds")(
    lambda: _outside(
        lambda bound, **strict: dist.TruncatedNormal(0.0, 1.0, high=bound, **strict), 2.0
    )
)
vary("to_event, the flag on the inner one", "silent", "holds", then=OLD)(
    lambda: _outside(
        lambda bound, **strict: dist.Uniform(0.0, bound * jnp.ones(2), **strict).to_event(1),
        jnp.array([0.5, 3.0]),
    )
)
