"""Variations of *A column of data against a row of means counts each observation n times*.

Each gives the log density at a slope, less that at zero.
"""

import warnings

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.infer.util import log_density
from scipy import stats

from evidence.variation import vary

warnings.simplefilter("ignore")


def data(n=40, number=0):
    draw = np.random.default_rng(number)
    x = draw.normal(size=n)
    return x, 2 * x + draw.normal(size=n)


def model_of(likelihood, plate=False, one_mean=False):
    def model(x, y):
        slope = numpyro.sample("slope", dist.Normal(0.0, 10.0))
        each = likelihood(slope * (1.0 if one_mean else x))
        if not plate:
            numpyro.sample("y", each, obs=y)
            return
        with numpyro.plate("rows", len(y)):
            numpyro.sample("y", each, obs=y)

    return model


def density(model, x, y):
    of = lambda slope: log_density(model, (x, y), {}, {"slope": slope})[0]
    return float(of(1.5) - of(0.0))


def three(
    likelihood, exact, cure=lambda y: y[:, 0], one_mean=False, plates=(False, False), **options
):
    x, y = data(**options)
    factor = 1.0 if one_mean else x
    expected = (exact(y, 1.5 * factor) - exact(y, 0.0 * factor)).sum()
    expected += stats.norm(0, 10).logpdf(1.5) - stats.norm(0, 10).logpdf(0)
    column = y[:, None]
    first, second = (model_of(likelihood, plate, one_mean) for plate in plates)
    return (
        lambda: density(first, x, column),
        expected,
        lambda: density(second, x, cure(column)),
    )


def normal(mean):
    return dist.Normal(mean, 1.0)


def normal_exact(y, mean):
    return stats.norm(mean, 1.0).logpdf(y)


def student(mean):
    return dist.StudentT(4.0, mean, 1.0)


def student_exact(y, mean):
    return stats.t(4.0, mean, 1.0).logpdf(y)


BOTH = normal, normal_exact
vary("forty readings, as on the page", "silent", "holds")(lambda: three(*BOTH))
vary("another seed, seven readings", "silent", "holds")(lambda: three(*BOTH, n=7, number=5))
vary("StudentT", "silent", "holds")(lambda: three(student, student_exact))
vary("one mean for all", "right", "holds")(lambda: three(*BOTH, one_mean=True))
vary("the cure is ravel", "silent", "holds")(lambda: three(*BOTH, cure=np.ravel))
vary("in a plate", "silent", "holds")(lambda: three(*BOTH, plates=(True, True)))
vary("looks right: the plate alone", "silent", "falls")(
    lambda: three(*BOTH, cure=lambda y: y, plates=(False, True))
)
vary("one reading", "right", "holds")(lambda: three(*BOTH, n=1))


@vary("squares of a network's column, in plain JAX", "silent", "holds")
def _():
    x = np.float32(np.random.default_rng(1).normal(size=20))
    y = 3 * x

    @jax.jit
    def slope(y):
        net = lambda weight: jax.vmap(lambda x: weight * x[None])(x)
        loss = lambda weight: jnp.mean((net(weight) - y) ** 2)
        return jax.lax.fori_loop(0, 200, lambda _, w: w - 0.1 * jax.grad(loss)(w), 0.0)

    return lambda: slope(y), 3.0, lambda: slope(y[:, None])


def _scales(give):
    draw = np.random.default_rng(2)
    means, scales = draw.normal(size=6), draw.uniform(0.5, 2.0, size=(6, 1))
    y = draw.normal(means, scales[:, 0])

    def density(scales):
        def model():
            with numpyro.plate("readings", 6):
                numpyro.sample("y", dist.Normal(means, scale=scales), obs=y)

        return log_density(model, (), {}, {})[0]

    exact = stats.norm.logpdf(y, means, scales[:, 0]).sum()
    return lambda: density(scales), exact, lambda: density(give(scales))


vary("a column of scales, and readings like the means", "silent", "falls")(
    lambda: _scales(lambda scales: scales)
)
vary("a column of scales, given the shape of the means", "silent", "holds")(
    lambda: _scales(lambda scales: scales[:, 0])
)
