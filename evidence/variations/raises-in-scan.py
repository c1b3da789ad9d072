"""Variations of *`MatrixNormal` and `SineSkewed` raise inside `scan`*: log densities."""

import contextlib

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.contrib.control_flow import scan
from numpyro.infer.util import log_density

from evidence.variation import vary

jax.config.update("jax_disable_most_optimizations", True)
TRIL = np.float32([[1.0, 0.0], [0.5, 0.8]])


def matrix(day):
    return dist.MatrixNormal(day * jnp.ones((2, 2)), TRIL, TRIL)


def flat(day):
    return dist.MultivariateNormal(day * jnp.ones(4), scale_tril=np.kron(TRIL, TRIL))


def skewed(day):
    angles = dist.VonMises(day * jnp.ones(2) / 9, 1.0).to_event(1)
    return dist.SineSkewed(angles, jnp.array([0.1, 0.1]))


def tables(day):
    return dist.MultivariateNormal(day * jnp.ones((5, 2, 2)), scale_tril=TRIL)


def events(day):
    """Five stations, as the batch, and two sites, as an event."""
    return tables(day).to_event(1)


STATION, SITE = ("station", 5, -2), ("site", 2, -1)


def site(make, *plates):
    """Return a step that observes the day's values."""

    def step(carry, inputs):
        day, value = inputs
        with contextlib.ExitStack() as stack:
            for name, size, dim in plates:
                stack.enter_context(numpyro.plate(name, size, dim=dim))
            numpyro.sample("y", make(day), obs=value)
        return carry, None

    return step


def factor(make):
    """Return a step that adds the log density."""

    def step(carry, inputs):
        day, value = inputs
        numpyro.factor("y", make(day).log_prob(value).sum())
        return carry, None

    return step


def three(step, cured, make, shape, days=3, number=7, jit=False, flatten=False):
    values = np.random.default_rng(number).normal(size=(days, *shape))
    exact = sum(np.sum(make(float(day)).log_prob(value)) for day, value in enumerate(values))

    def density(step, values):
        data = jnp.arange(float(days)), jnp.asarray(values)
        run = lambda: log_density(lambda: scan(step, None, data), (), {}, {})[0]
        return (jax.jit(run) if jit else run)()

    ready = values.reshape(days, -1) if flatten else values
    return lambda: density(step, values), exact, lambda: density(cured, ready)


def of_matrix(**options):
    return three(site(matrix), site(flat), matrix, (2, 2), flatten=True, **options)


def of_angles(cured=None, **options):
    return three(site(skewed), cured or factor(skewed), skewed, (2,), **options)


def of_tables(**options):
    within = site(events)
    return three(within, site(tables, STATION, SITE), events, (5, 2, 2), **options)


vary("MatrixNormal, three days", "ValueError", "holds", then=("right", "holds"))(
    lambda: of_matrix()
)
vary("another seed, five days, under jit", "ValueError", "holds", then=("right", "holds"))(
    lambda: of_matrix(days=5, number=2, jit=True)
)
vary("MatrixNormal, one day", "right", "holds")(lambda: of_matrix(days=1))
vary("MatrixNormal and a factor", "ValueError", "holds", then=("right", "holds"))(
    lambda: three(site(matrix), factor(matrix), matrix, (2, 2))
)
vary("SineSkewed, three days", "ValueError", "holds")(lambda: of_angles())
vary("SineSkewed, two days", "ValueError", "holds")(lambda: of_angles(days=2))
vary("SineSkewed, one day", "ValueError", "holds")(lambda: of_angles(days=1))
vary("to_event, three days", "ValueError", "holds", then=("right", "ValueError"))(
    lambda: of_tables()
)
vary("to_event, five days", "right", "holds", then=("right", "ValueError"))(
    lambda: of_tables(days=5)
)
vary("looks right: a plate of one around SineSkewed", "ValueError", "ValueError")(
    lambda: of_angles(site(skewed, ("one", 1, -1)))
)
vary("looks right: expand of SineSkewed", "ValueError", "ValueError")(
    lambda: of_angles(site(lambda day: skewed(day).expand([1])))
)


@vary("a latent table, two rows and three", "ValueError", "holds", then=("right", "holds"))
def _():
    drawn = np.random.default_rng(5).normal(size=(4, 2, 3))

    def day(carry, scale):
        law = dist.MatrixNormal(
            loc=jnp.zeros((2, 3)), scale_tril_row=jnp.eye(2), scale_tril_column=scale * jnp.eye(3)
        )
        numpyro.sample("table", law)
        return carry, None

    def flat(carry, scale):
        tril = jnp.kron(jnp.eye(2), scale * jnp.eye(3))
        numpyro.sample("table", dist.MultivariateNormal(jnp.zeros(6), scale_tril=tril))
        return carry, None

    def density(day, drawn):
        model = lambda: scan(day, None, jnp.arange(1.0, 5.0))
        return jax.jit(lambda at: log_density(model, (), {}, {"table": at})[0])(jnp.asarray(drawn))

    scales = np.arange(1.0, 5.0)[:, None, None]
    expected = (-0.5 * (drawn / scales) ** 2 - np.log(scales * np.sqrt(2 * np.pi))).sum()
    return lambda: density(day, drawn), expected, lambda: density(flat, drawn.reshape(4, 6))


@vary("to_event of an MVN by its covariance", "ValueError", "holds", then=("right", "ValueError"))
def _():
    values = np.random.default_rng(6).normal(size=(3, 2, 3, 2))

    def law(day):
        return dist.MultivariateNormal(day * jnp.ones((2, 3, 2)), covariance_matrix=4 * jnp.eye(2))

    def sites(day):
        with numpyro.plate("river", 2):
            numpyro.sample("rain", law(day).to_event(1))

    def second(day):
        with numpyro.plate("river", 2, dim=-2), numpyro.plate("site", 3):
            numpyro.sample("rain", law(day))

    def density(sites):
        model = lambda: scan(lambda carry, day: (carry, sites(day)), None, jnp.arange(3.0))
        return log_density(model, (), {}, {"rain": jnp.asarray(values)})[0]

    expected = -0.5 * ((values - np.arange(3.0)[:, None, None, None]) ** 2).sum() / 4
    expected -= values.size * np.log(2 * np.sqrt(2 * np.pi))
    return lambda: density(sites), expected, lambda: density(second)
