"""Variations of *In `scan`, days and stations change places*: log densities."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.contrib.control_flow import scan
from numpyro.distributions.transforms import ExpTransform
from numpyro.infer.util import log_density
from scipy import stats

from tools.variations import vary

jax.config.update("jax_disable_most_optimizations", True)
Transformed = dist.TransformedDistribution
fair = dist.Categorical(probs=jnp.ones(2) / 2)
pair = jnp.array([-1.0, 1.0])


def density(noisy, days=5, stations=5, number=6, exp=True, jit=False):
    levels = np.linspace(0.5, 5.0, days)
    drawn = np.random.default_rng(number).normal(levels[:, None], 0.5, (days, stations))
    drawn = np.exp(drawn) if exp else np.abs(drawn)

    def day(carry, inputs):
        level, values = inputs
        with numpyro.plate("station", stations):
            numpyro.sample("y", noisy(level), obs=values)
        return carry, None

    data = jnp.asarray(levels), jnp.asarray(drawn)
    run = lambda: log_density(lambda: scan(day, None, data), (), {}, {})[0]
    return float((jax.jit(run) if jit else run)()), levels[:, None], drawn


def three(got, cured, exact, **sizes):
    _, means, drawn = density(lambda level: dist.LogNormal(level, 0.5), **sizes)
    total = exact(means, drawn).sum()
    return lambda: density(got, **sizes)[0], total, lambda: density(cured, **sizes)[0]


def log_normal(level):
    return Transformed(dist.Normal(level, 0.5), ExpTransform())


def ones(size):
    return lambda level: log_normal(level * jnp.ones(size))


def exact(means, drawn):
    return stats.lognorm(0.5, scale=np.exp(means)).logpdf(drawn)


@vary("five days, five stations", "silent", "holds", then=("IndexError", "IndexError"))
def _():
    return three(log_normal, ones(5), exact)


@vary("another seed, under jit", "silent", "holds", then=("IndexError", "IndexError"))
def _():
    return three(log_normal, ones(5), exact, number=9, jit=True)


@vary("four days, five stations", "TypeError", "holds", then=("IndexError", "IndexError"))
def _():
    return three(log_normal, ones(5), exact, days=4)


@vary("five days, one station", "ValueError", "holds", then=("IndexError", "IndexError"))
def _():
    return three(log_normal, ones(1), exact, stations=1)


@vary("one day, five stations", "right", "holds", then=("IndexError", "IndexError"))
def _():
    return three(log_normal, ones(5), exact, days=1)


@vary("looks right: expand on the base", "silent", "falls", then=("IndexError", "IndexError"))
def _():
    expanded = lambda a: Transformed(dist.Normal(a, 0.5).expand([5]), ExpTransform())
    return three(log_normal, expanded, exact)


@vary("looks right: expand on the whole", "silent", "falls", then=("IndexError", "IndexError"))
def _():
    return three(log_normal, lambda level: log_normal(level).expand([5]), exact)


@vary("broadcast_to instead of ones", "silent", "holds", then=("IndexError", "IndexError"))
def _():
    return three(log_normal, lambda a: log_normal(jnp.broadcast_to(a, (5,))), exact)


@vary("the library's LogNormal", "right", "holds")
def _():
    plain = lambda level: dist.LogNormal(level, 0.5)
    return three(plain, plain, exact)


def folded(level):
    return dist.FoldedDistribution(dist.Normal(level, 0.5))


def folded_exact(means, drawn):
    return stats.foldnorm(means / 0.5, scale=0.5).logpdf(drawn)


@vary("a folded normal", "silent", "holds", then=("IndexError", "IndexError"))
def _():
    return three(folded, lambda a: folded(a * jnp.ones(5)), folded_exact, exp=False)


@vary("a folded normal, four days", "ValueError", "holds", then=("IndexError", "IndexError"))
def _():
    return three(folded, lambda a: folded(a * jnp.ones(5)), folded_exact, exp=False, days=4)


def mixture(level):
    return dist.MixtureSameFamily(fair, dist.Normal(level + pair, 0.5))


def mixture_each(level):
    weights = dist.Categorical(probs=jnp.ones((5, 2)) / 2)
    parts = dist.Normal(level * jnp.ones((5, 1)) + pair, 0.5)
    return dist.MixtureSameFamily(weights, parts)


def mixture_exact(means, drawn):
    return np.log(sum(stats.norm(means + shift, 0.5).pdf(drawn) / 2 for shift in (-1.0, 1.0)))


@vary("a mixture, all parts with the axis", "silent", "holds", then=("IndexError", "IndexError"))
def _():
    return three(mixture, mixture_each, mixture_exact, exp=False)


@vary("a mixture, four days", "TypeError", "holds", then=("IndexError", "IndexError"))
def _():
    return three(mixture, mixture_each, mixture_exact, exp=False, days=4)


@vary("64 bits", "silent", "holds", then=("IndexError", "IndexError"))
def _():
    jax.config.update("jax_enable_x64", True)  # until the end, so this row is the last
    return three(log_normal, ones(5), exact)
