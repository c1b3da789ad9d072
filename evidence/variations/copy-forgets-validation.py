"""Variations of *Inside jit, an impossible value has a finite log density*: that density."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from jax import lax
from numpyro.infer.util import log_density

from evidence.variation import vary

numpyro.enable_validation()


def jitted(distribution, value):
    return jax.jit(lambda d, x: d.log_prob(x))(distribution, value)


def filtered(distribution, value):
    return eqx.filter_jit(lambda d, x: d.log_prob(x))(distribution, value)


def carried(distribution, value):
    return lax.scan(lambda d, x: (d, d.log_prob(x)), distribution, jnp.full(2, value))[1]


def lanes(distribution, value):
    return jax.vmap(lambda d, x: d.log_prob(x), in_axes=(None, 0))(distribution, jnp.full(2, value))


def copied(distribution, value):
    return jax.tree.map(lambda leaf: leaf, distribution).log_prob(value)


def direct(distribution, value):
    return distribution.log_prob(value)


def three(run, make=dist.Exponential, args=(2.0,), value=-1.0, cure=None):
    """`cure` makes another distribution of the same parameters."""
    strict = cure or (lambda *args: make(*args, validate_args=True))
    shape = (2,) if run in (carried, lanes) else ()
    impossible = np.full(shape, -np.inf)
    return lambda: run(make(*args), value), impossible, lambda: run(strict(*args), value)


def inside(*args):
    """What is passed is no distribution, but what makes one: its parameters."""
    return jax.tree_util.Partial(dist.Exponential, *args)


def built(partial, value):
    return jax.jit(lambda rate, x: dist.Exponential(rate).log_prob(x))(partial.args[0], value)


def enabled(distribution, value):
    def log_density(d, x):
        numpyro.enable_validation()
        return d.log_prob(x)

    return jax.jit(log_density)(distribution, value)


def two(make, **options):
    return three(jitted, make=make, args=(2.0, 1.0), **options)


def event(rate, **options):
    return dist.Exponential(rate * jnp.ones(1), **options).to_event(1)


def independent(rate, validate_args=None, outside=None):
    base = dist.Exponential(rate * np.ones(3), validate_args=validate_args)
    return dist.Independent(base, 1, validate_args=validate_args or outside)


def transformed(scale, validate_args=None, within=None):
    base = dist.Normal(0.0, scale, validate_args=validate_args or within)
    exp = dist.transforms.ExpTransform()
    return dist.TransformedDistribution(base, exp, validate_args=validate_args)


vary("Exponential, under jit", "silent", "holds")(lambda: three(jitted))
vary("eqx.filter_jit", "silent", "holds")(lambda: three(filtered))
vary("vmap", "silent", "holds")(lambda: three(lanes))
vary("the carry of a scan", "silent", "holds")(lambda: three(carried))
vary("tree.map", "silent", "holds")(lambda: three(copied))
vary("no copy", "right", "holds")(lambda: three(direct))
vary("Gamma, where the copy gives NaN", "silent", "holds")(lambda: two(dist.Gamma))
vary("HalfNormal", "silent", "holds")(lambda: three(jitted, dist.HalfNormal))
vary("LogNormal, at 0", "silent", "holds")(lambda: two(dist.LogNormal, value=0.0))
vary("Uniform", "silent", "holds")(lambda: three(jitted, dist.Uniform, (0.0, 2.0), 3.0))
vary("Poisson, a count of -1", "right", "holds")(lambda: three(jitted, dist.Poisson, value=-1))
vary("the cure: built inside", "silent", "holds")(
    lambda: (*three(jitted)[:2], lambda: built(inside(2.0), -1.0))
)
vary("to_event of a strict one", "silent", "holds")(
    lambda: three(lambda d, x: jitted(d, x * jnp.ones(1)), event)
)
vary("expand of a strict one", "silent", "holds")(
    lambda: three(
        lambda d, x: jitted(d, x)[0],
        lambda rate, **options: dist.Exponential(rate, **options).expand([1]),
    )
)
vary("Independent, both strict", "silent", "holds")(lambda: three(jitted, independent))
vary("TransformedDistribution, both strict", "silent", "holds")(lambda: three(jitted, transformed))
vary("looks right: Independent, strict itself alone", "silent", "falls")(
    lambda: three(jitted, independent, cure=lambda rate: independent(rate, outside=True))
)
vary("looks right: TransformedDistribution, its base strict alone", "silent", "falls")(
    lambda: three(jitted, transformed, cure=lambda scale: transformed(scale, within=True))
)
vary("looks right: enable_validation inside", "silent", "falls")(
    lambda: (*three(jitted)[:2], lambda: enabled(dist.Exponential(2.0), -1.0))
)


@vary("an argument of a model, jitted log_density", "silent", "holds")
def _():
    def model(prior):
        numpyro.sample("rate", prior)

    def at(prior):
        density = lambda prior: log_density(model, (prior,), {}, {"rate": -0.5})[0]
        return jax.jit(density)(prior)

    strict = dist.Gamma(concentration=2, rate=3, validate_args=True)
    return lambda: at(dist.Gamma(2, 3)), -np.inf, lambda: at(strict)


@vary("in a module, made by vmap, a fori_loop", "silent", "holds")
def _():
    class Errors(eqx.Module):
        laws: dist.Distribution

    def total(**strict):
        laws = jax.vmap(lambda scale: dist.HalfNormal(scale, **strict))(jnp.array([1.0, 2.0]))
        errors = Errors(laws)
        each = jax.vmap(lambda law, x: law.log_prob(x))
        add = lambda _, total: total + each(errors.laws, jnp.array([1.0, -1.0]))[1]
        return eqx.filter_jit(lambda: jax.lax.fori_loop(0, 2, add, 0.0))()

    return lambda: total(), -np.inf, lambda: total(validate_args=True)
