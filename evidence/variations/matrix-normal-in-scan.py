"""Variations of *`MatrixNormal` in `scan` is wrong if steps equal rows*: log densities."""

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


def triangle(size):
    return np.eye(size) + 0.3 * np.tril(np.ones((size, size)), -1)


def three(days=2, rows=2, columns=2, number=7, slope=2.0, jit=False, cured=None, kind=None):
    means = slope * np.arange(days)
    draw = np.random.default_rng(number)
    tables = means[:, None, None] + draw.normal(size=(days, rows, columns))
    left, right = triangle(rows), triangle(columns)

    def matrix(mean):
        return dist.MatrixNormal(mean * jnp.ones((rows, columns)), left, right)

    def flat(mean):
        scale = np.kron(left, right)
        return dist.MultivariateNormal(mean * jnp.ones(rows * columns), scale_tril=scale)

    def density(noise, tables):
        def day(carry, inputs):
            mean, table = inputs
            numpyro.sample("table", noise(mean), obs=table)
            return carry, None

        data = jnp.asarray(means), jnp.asarray(tables)
        run = lambda: log_density(lambda: scan(day, None, data), (), {}, {})[0]
        return (jax.jit(run) if jit else run)()

    noise = stats.matrix_normal(None, left @ left.T, right @ right.T)
    exact = sum(noise.logpdf(table - mean) for table, mean in zip(tables, means, strict=True))
    if cured:
        return lambda: density(matrix, tables), exact, lambda: density(cured(matrix), tables)
    flat_tables = tables.reshape(days, -1)
    return lambda: density(matrix, tables), exact, lambda: density(flat, flat_tables)


def expanded(matrix):
    return lambda mean: matrix(mean).expand([1])


def masked(matrix):
    return lambda mean: matrix(mean).mask(True)


vary("two days, two rows", "silent", "holds", then=("right", "holds"))(lambda: three())
vary("another seed, under jit", "silent", "holds", then=("right", "holds"))(
    lambda: three(number=1, jit=True)
)
vary("three days, three rows, two columns", "silent", "holds", then=("right", "holds"))(
    lambda: three(3, 3, 2)
)
vary("three days, two rows", "ValueError", "holds", then=("right", "holds"))(lambda: three(3))
vary("two days, three rows, two columns", "ValueError", "holds", then=("right", "holds"))(
    lambda: three(2, 3, 2)
)
vary("one row", "silent", "holds", then=("right", "holds"))(lambda: three(2, 1, 2))
vary("one day", "right", "holds")(lambda: three(1))
vary("one day, one row", "right", "holds")(lambda: three(1, 1))
vary("means that do not change", "silent", "holds", then=("right", "holds"))(
    lambda: three(slope=0.0)
)
vary("looks right: expand", "silent", "ValueError", then=("right", "ValueError"))(
    lambda: three(cured=expanded)
)
vary("looks right: a mask", "silent", "falls", then=("right", "holds"))(lambda: three(cured=masked))


@vary("a latent, a scale for each day", "silent", "holds", then=("right", "holds"))
def _():
    rows, columns = np.array([[1.0, 0.0], [0.5, 2.0]]), np.array([[1.0, 0.0], [-0.3, 0.7]])
    scales, drawn = np.array([1.0, 3.0]), np.random.default_rng(1).normal(size=(2, 2, 2))

    def day(carry, scale):
        law = dist.MatrixNormal(
            loc=jnp.zeros((2, 2)), scale_tril_row=scale * rows, scale_tril_column=columns
        )
        numpyro.sample("table", law)
        return carry, None

    def flat_day(carry, scale):
        tril = jnp.kron(scale * rows, columns)
        numpyro.sample("table", dist.MultivariateNormal(jnp.zeros(4), scale_tril=tril))
        return carry, None

    def density(day, drawn):
        model = lambda: scan(day, None, jnp.asarray(scales))
        return jax.jit(lambda at: log_density(model, (), {}, {"table": at})[0])(jnp.asarray(drawn))

    law = lambda scale: stats.matrix_normal(None, scale**2 * rows @ rows.T, columns @ columns.T)
    expected = sum(law(scale).logpdf(table) for scale, table in zip(scales, drawn, strict=True))
    return lambda: density(day, drawn), expected, lambda: density(flat_day, drawn.reshape(2, 4))


@vary("tables of stations in a plate", "ValueError", "holds", then=("right", "holds"))
def _():
    means, tables = np.array([0.0, 2.0, 4.0]), np.random.default_rng(2).normal(size=(3, 3, 2, 2))
    eye = jnp.eye(2)

    def density(law, tables):
        def day(carry, inputs):
            mean, table = inputs
            with numpyro.plate("station", 3):
                numpyro.sample("table", law(mean), obs=table)
            return carry, None

        model = lambda: scan(day, None, (jnp.asarray(means), jnp.asarray(tables)))
        return log_density(model, (), {}, {})[0]

    wrong = lambda mean: dist.MatrixNormal(mean * jnp.ones((3, 2, 2)), eye, eye)
    flat = lambda mean: dist.MultivariateNormal(mean * jnp.ones((3, 4)), scale_tril=jnp.eye(4))
    expected = stats.norm.logpdf(tables, means[:, None, None, None]).sum()
    cured = lambda: density(flat, tables.reshape(3, 3, 4))
    return lambda: density(wrong, tables), expected, cured


@vary("64 bits", "silent", "holds", then=("right", "holds"))
def _():
    jax.config.update("jax_enable_x64", True)  # until the end, so this row is the last
    return three()
