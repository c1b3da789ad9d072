"""Variations of *In `scan`, days and stations change places*: log densities."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.contrib.control_flow import scan
from numpyro.distributions.transforms import ExpTransform, SigmoidTransform
from numpyro.infer.util import log_density
from scipy import stats

from evidence.variation import vary

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


def vectors(shape, days=2):
    """Log-normal pairs at two stations, whose means are multiplied by ones of a shape."""
    tril = np.array([[1.0, 0.0], [0.5, 0.8]])
    levels = np.arange(1.0, days + 1)
    logs = np.random.default_rng(2).normal(levels[:, None, None], 1.0, (days, 2, 2))

    def day(carry, inputs):
        level, values = inputs
        loc = level * jnp.ones(2) * jnp.ones(shape)
        base = dist.MultivariateNormal(loc, scale_tril=tril)
        with numpyro.plate("station", 2):
            numpyro.sample("y", Transformed(base, ExpTransform()), obs=values)
        return carry, None

    data = jnp.asarray(levels), jnp.exp(jnp.asarray(logs))
    law = stats.multivariate_normal(cov=tril @ tril.T)
    expected = law.logpdf(logs - levels[:, None, None]).sum() - logs.sum()
    return lambda: log_density(scan, (day, None, data), {}, {})[0], expected


def compare_vectors(cure, **sizes):
    got, expected = vectors((), **sizes)
    return got, expected, vectors(cure, **sizes)[0]


@vary("a vector as long as the plate", "silent", "holds", then=("IndexError", "IndexError"))
def _():
    return compare_vectors((2, 1))


@vary("a vector, three days", "TypeError", "holds", then=("IndexError", "IndexError"))
def _():
    return compare_vectors((2, 1), days=3)


@vary("looks right: ones along the vector", "silent", "falls", then=("IndexError", "IndexError"))
def _():
    return compare_vectors((2,))


@vary("looks right: ones along the parts", "silent", "falls", then=("IndexError", "IndexError"))
def _():
    def along_the_parts(level):
        parts = dist.Normal(level * jnp.ones(2) + pair, 0.5)
        return dist.MixtureSameFamily(dist.Categorical(probs=jnp.ones(2) / 2), parts)

    sizes = dict(exp=False, days=2, stations=2)
    return three(mixture, along_the_parts, mixture_exact, **sizes)


@vary("a latent Gumbel by keyword", "silent", "holds", then=("IndexError", "IndexError"))
def _():
    places = np.array([0.0, 1.0, 3.0])
    drawn = np.random.default_rng(3).normal(places[:, None], 1.0, (3, 3))

    class Days:
        def __init__(self, width):
            self.width = width

        def day(self, total, place):
            base = dist.Gumbel(loc=place * self.width, scale=1.0)
            law = dist.TransformedDistribution(base_distribution=base, transforms=ExpTransform())
            with numpyro.plate("gauge", size=3, dim=-1):
                return total + numpyro.sample("flow", law).sum(), None

        def __call__(self):
            return scan(f=self.day, init=0.0, xs=jnp.asarray(places))

    at = {"flow": jnp.exp(drawn)}
    density = lambda width: jax.jit(lambda: log_density(Days(width), (), {}, at)[0])()
    expected = (stats.gumbel_r(places[:, None]).logpdf(drawn) - drawn).sum()
    return lambda: density(1.0), expected, lambda: density(jnp.ones(3))


@vary("a partial, two transforms in a list", "silent", "holds", then=("IndexError", "IndexError"))
def _():
    logits = np.random.default_rng(4).normal(size=(4, 4))
    scales = np.array([0.5, 1.0, 2.0, 4.0])

    def day(carry, inputs, ones):
        scale, values = inputs
        law = dist.TransformedDistribution(
            dist.Normal(0.0 * ones, scale * ones), [SigmoidTransform(), ExpTransform()]
        )
        with numpyro.plate("share", 4):
            numpyro.sample("y", law, obs=values)
        return carry, None

    shares = 1 / (1 + np.exp(-logits))

    def density(ones):
        data = jnp.asarray(scales), jnp.exp(jnp.asarray(shares))
        model = lambda: scan(functools.partial(day, ones=ones), None, data)
        return log_density(model, (), {}, {})[0]

    jacobian = np.log(shares * (1 - shares)) + shares
    expected = (stats.norm(0.0, scales[:, None]).logpdf(logits) - jacobian).sum()
    return lambda: density(1.0), expected, lambda: density(jnp.ones(4))


@vary("64 bits", "silent", "holds", then=("IndexError", "IndexError"))
def _():
    jax.config.update("jax_enable_x64", True)  # until the end, so this row is the last
    return three(log_normal, ones(5), exact)
