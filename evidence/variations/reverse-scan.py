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

from tools.variations import vary

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
vary("condition, and what comes back", "silent", "holds")(substituted)
vary("the cure turns the values alone", "silent", "holds")(values_only)
vary("looks right: data turned, values not", "silent", "falls")(lambda: three(turn=False))


@vary("64 bits", "silent", "holds")
def _():
    jax.config.update("jax_enable_x64", True)  # until the end, so this row is the last
    return three()
