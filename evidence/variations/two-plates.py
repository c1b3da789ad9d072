"""Variations of *Two plates in `scan`, and the axis of only one of them*: log densities."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.contrib.control_flow import scan
from numpyro.distributions.transforms import ExpTransform, PowerTransform
from numpyro.infer.util import log_density
from scipy import stats

from evidence.variation import vary

jax.config.update("jax_disable_most_optimizations", True)


def log_normal(level, axes):
    return dist.TransformedDistribution(dist.Normal(level * jnp.ones(axes), 0.5), ExpTransform())


def folded(level, axes):
    return dist.FoldedDistribution(dist.Normal(level * jnp.ones(axes), 0.5))


def named(level, axes):
    return dist.LogNormal(level * jnp.ones(axes), 0.5)


def inverse(level, axes):
    return dist.InverseGamma(3.0 * jnp.ones(axes), level * jnp.ones(axes))


def by_power(level):
    gamma = dist.Gamma(3.0 * jnp.ones((3, 2)), level * jnp.ones((3, 2)))
    return dist.TransformedDistribution(gamma, PowerTransform(-jnp.ones((3, 2))))


def mixed(level, axes):
    """Mix the normal with one that has no weight."""
    one, two = dist.Normal(level * jnp.ones(axes), 0.5), dist.Normal(jnp.zeros(axes), 9.0)
    weights = jnp.broadcast_to(jnp.array([1.0, 0.0]), (*axes, 2))
    return dist.MixtureGeneral(dist.Categorical(weights), [one, two])


def plain(level, axes):
    return dist.Normal(level * jnp.ones(axes), 0.5)


def three(axes="station", cured=None, days=3, regions=3, stations=2, number=7, **options):
    make, swap = options.get("make", log_normal), options.get("swap", False)
    levels = np.linspace(0.5, 3.0, days)
    noise = np.random.default_rng(number).normal(0.0, 0.5, (days, regions, stations))
    measured = levels[:, None, None] + noise
    places = levels[:, None, None]
    if make in (log_normal, named):
        measured = np.exp(measured)
        exact = stats.lognorm(0.5, scale=np.exp(places)).logpdf(measured).sum()
    elif make is folded:
        measured = np.abs(measured)
        exact = stats.foldnorm(places / 0.5, scale=0.5).logpdf(measured).sum()
    elif make is inverse:
        measured = np.exp(noise)
        exact = stats.invgamma(3.0, scale=places).logpdf(measured).sum()
    else:
        exact = stats.norm(places, 0.5).logpdf(measured).sum()
    shapes = {"station": (stations,), "region": (regions, 1), "both": (regions, stations)}
    shapes["none"], shapes["ones"] = (), (1, 1)

    def density(noisy):
        def day(carry, inputs):
            level, values = inputs
            outer = numpyro.plate("region", regions, dim=-2)
            inner = numpyro.plate("station", stations, dim=-1)
            outer, inner = (inner, outer) if swap else (outer, inner)
            with outer, inner:
                numpyro.sample("y", noisy(level), obs=values)
            return carry, None

        data = jnp.asarray(levels), jnp.asarray(measured)
        run = lambda: log_density(lambda: scan(day, None, data), (), {}, {})[0]
        return (jax.jit(run) if options.get("jit") else run)()

    cured = cured or (lambda level: make(level, shapes["both"]))
    return lambda: density(lambda level: make(level, shapes[axes])), exact, lambda: density(cured)


def expanded(level):
    return log_normal(level, (2,)).expand([3, 2])


def base_expanded(level):
    base = dist.Normal(level * jnp.ones(2), 0.5).expand([3, 2])
    return dist.TransformedDistribution(base, ExpTransform())


def ones_in_front(level):
    return log_normal(level, (1, 2))


vary("the axis of the inner plate", "silent", "holds", then=("IndexError", "IndexError"))(
    lambda: three()
)
vary("another seed, under jit", "silent", "holds", then=("IndexError", "IndexError"))(
    lambda: three(number=3, jit=True)
)
vary("four days", "TypeError", "holds", then=("IndexError", "IndexError"))(lambda: three(days=4))
vary("three regions, one station", "silent", "holds", then=("IndexError", "IndexError"))(
    lambda: three(stations=1)
)
vary("one region, three stations", "ValueError", "holds", then=("IndexError", "IndexError"))(
    lambda: three(regions=1, stations=3)
)
vary("all three", "silent", "holds", then=("IndexError", "IndexError"))(lambda: three(stations=3))
vary("the axis of the outer plate", "right", "holds", then=("IndexError", "IndexError"))(
    lambda: three("region")
)
vary("no axis, two days", "silent", "holds", then=("IndexError", "IndexError"))(
    lambda: three("none", days=2)
)
vary("both axes, of size one", "right", "holds", then=("IndexError", "IndexError"))(
    lambda: three("ones")
)
vary("the plates in the other order", "silent", "holds", then=("IndexError", "IndexError"))(
    lambda: three(swap=True)
)
vary("a folded normal", "silent", "holds", then=("IndexError", "IndexError"))(
    lambda: three(make=folded)
)
vary("a plain Normal", "right", "holds")(lambda: three(make=plain))
vary("a LogNormal", "right", "holds")(lambda: three(make=named))
vary("a mixture", "silent", "holds", then=("IndexError", "IndexError"))(lambda: three(make=mixed))
vary("looks right: expand on the whole", "silent", "falls", then=("IndexError", "IndexError"))(
    lambda: three(cured=expanded)
)
vary("looks right: expand on the base", "silent", "falls", then=("IndexError", "IndexError"))(
    lambda: three(cured=base_expanded)
)
vary(
    "all axes, but an exponent has none", "ValueError", "holds", then=("ValueError", "IndexError")
)(lambda: three("both", by_power, days=4, make=inverse))
vary("an axis of size one in front", "silent", "holds", then=("IndexError", "IndexError"))(
    lambda: three(cured=ones_in_front)
)


@vary("64 bits", "silent", "holds", then=("IndexError", "IndexError"))
def _():
    jax.config.update("jax_enable_x64", True)  # until the end, so this row is the last
    return three()
