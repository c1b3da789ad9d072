"""Variations of *`scan(reverse=True)` uses your values back to front*: log densities."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro import handlers
from numpyro.contrib.control_flow import scan
from numpyro.infer.util import log_density
from scipy import stats

from evidence.variation import vary

jax.config.update("jax_disable_most_optimizations", True)


def sites(after, reading):
    level = numpyro.sample("level", dist.Normal(after, 1.0))
    numpyro.sample("reading", dist.Normal(level, 0.5), obs=reading)
    return level, level


def laplace(after, reading):
    level = numpyro.sample("level", dist.Laplace(after, 1.0))
    numpyro.sample("reading", dist.Normal(level, 0.5), obs=reading)
    return level, level


def only_observed(after, reading):
    numpyro.sample("reading", dist.Normal(after, 0.5), obs=reading)
    return reading, reading


def back(step, readings):
    return lambda: scan(step, 5.0, jnp.asarray(readings), reverse=True)


def forwards(step, readings):
    return lambda: scan(step, 5.0, jnp.asarray(readings[::-1]))


def three(days=5, number=1, step=sites, jit=False, turn=True, latent=True):
    draw = np.random.default_rng(number)
    levels = np.cumsum(draw.normal(1.0, 0.5, days))
    readings = levels + draw.normal(0.0, 0.5, days)
    walk = (stats.laplace if step is laplace else stats.norm)(np.append(levels[1:], 5.0), 1.0)
    exact = walk.logpdf(levels).sum() + stats.norm(levels, 0.5).logpdf(readings).sum()
    if not latent:
        exact = stats.norm(np.append(readings[1:], 5.0), 0.5).logpdf(readings).sum()

    def density(model, values):
        at = {"level": jnp.asarray(values)} if latent else {}
        run = lambda: log_density(model, (), {}, at)[0]
        return (jax.jit(run) if jit else run)()

    cured = levels[::-1] if turn else levels
    return (
        lambda: density(back(step, readings), levels),
        exact,
        lambda: density(forwards(step, readings), cured),
    )


def values_only(days=5):
    """Keep `reverse=True`, and turn the values alone."""
    levels = np.arange(1.0, days + 1)
    readings = levels + 0.3
    run = lambda at: log_density(back(sites, readings), (), {}, {"level": jnp.asarray(at)})[0]
    walk = stats.norm(np.append(levels[1:], 5.0), 1.0).logpdf(levels).sum()
    exact = walk + stats.norm(levels, 0.5).logpdf(readings).sum()
    return lambda: run(levels), exact, lambda: run(levels[::-1])


def conditioned():
    """Give the data by `condition`, and no latent site."""
    levels, readings = np.arange(5.0), np.arange(5.0) ** 2

    def step(carry, level):
        numpyro.sample("reading", dist.Normal(level, 0.5))
        return carry, None

    def density(levels, readings, reverse):
        model = lambda: scan(step, None, jnp.asarray(levels), reverse=reverse)
        given = handlers.condition(model, {"reading": jnp.asarray(readings)})
        return log_density(given, (), {}, {})[0]

    exact = stats.norm(levels, 0.5).logpdf(readings).sum()
    turned = lambda: density(levels[::-1], readings[::-1], False)
    return lambda: density(levels, readings, True), exact, turned


def substituted():
    """What `condition` on a site does: the levels that the model returns."""
    given = jnp.arange(5.0)
    run = lambda model: handlers.seed(handlers.condition(model, {"level": given}), 0)()[1]
    zeros = np.zeros(5)
    turned = lambda: run(forwards(sites, zeros))
    return lambda: run(back(sites, zeros)), given, turned


vary("five days", "silent", "holds")(lambda: three())
vary("another seed, nine days, under jit", "silent", "holds")(lambda: three(9, 6, jit=True))
vary("one day", "right", "holds")(lambda: three(1))
vary("two days", "silent", "holds")(lambda: three(2))
vary("Laplace steps", "silent", "holds")(lambda: three(step=laplace))
vary("no latent site", "right", "holds")(lambda: three(step=only_observed, latent=False))
vary("no latent site, data by condition", "silent", "holds")(conditioned)
vary("condition, and what comes back", "silent", "holds")(substituted)
vary("the cure turns the values alone", "silent", "holds")(values_only)
vary("looks right: data turned, values not", "silent", "falls")(lambda: three(turn=False))


@vary("two latents, inputs, a class, by keyword", "silent", "holds")
def _():
    slopes = np.array([1.0, 2.0, 3.0])
    drawn = {name: np.random.default_rng(n).normal(size=3) for n, name in enumerate("ab")}

    class Back:
        def step(self, carry, slope):
            a = numpyro.sample("a", dist.Normal(slope, 1.0))
            b = numpyro.sample("b", dist.Normal(carry + a, 2.0))
            return b, None

        def __call__(self, slopes, reverse):
            scan(f=self.step, init=0.0, xs=slopes, reverse=reverse)

    def density(slopes, drawn, reverse):
        at = {name: jnp.asarray(value) for name, value in drawn.items()}
        return log_density(Back(), (jnp.asarray(slopes),), {"reverse": reverse}, at)[0]

    turned = {name: value[::-1] for name, value in drawn.items()}
    before = np.append(drawn["b"][1:], 0.0)
    expected = stats.norm(slopes, 1.0).logpdf(drawn["a"]).sum()
    expected += stats.norm(before + drawn["a"], 2.0).logpdf(drawn["b"]).sum()
    return (
        lambda: density(slopes, drawn, True),
        expected,
        lambda: density(slopes[::-1], turned, False),
    )


@vary("no inputs, a plate inside, under vmap", "silent", "holds")
def _():
    drawn = np.random.default_rng(3).normal(size=(2, 4, 3))  # two points, days, sites

    def density(drawn, reverse):
        def step(level, _):
            with numpyro.plate("site", 3):
                level = numpyro.sample("level", dist.Normal(0.5 * level, 1.0))
            return level, None

        model = lambda: scan(step, jnp.zeros(3), None, length=4, reverse=reverse)
        one = lambda at: log_density(model, (), {}, {"level": at})[0]
        return jax.vmap(one)(jnp.asarray(drawn))

    after = np.concatenate([drawn[:, 1:], np.zeros((2, 1, 3))], axis=1)
    expected = stats.norm(0.5 * after, 1.0).logpdf(drawn).sum(axis=(1, 2))
    return lambda: density(drawn, True), expected, lambda: density(drawn[:, ::-1], False)


@vary("64 bits", "silent", "holds")
def _():
    jax.config.update("jax_enable_x64", True)  # until the end, so this row is the last
    return three()
