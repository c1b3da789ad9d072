"""Variations of *A Cholesky factor is NaN*: log likelihoods and draws, by NumPy in float64."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro.distributions as dist
from jax.scipy.linalg import cho_factor, cho_solve

from evidence.variation import vary

TIMES = np.linspace(0.0, 1.0, 50)
HEIGHTS = np.sin(5 * TIMES)
GAPS = TIMES[:, None] - TIMES
KERNEL = np.exp(-10 * GAPS**2) + 1e-8 * np.eye(50)


def normal(kernel, function):
    """Return a function of a matrix in float32, and of one in float64."""

    def in_double():
        jax.config.update("jax_enable_x64", True)
        try:
            return np.asarray(function(jnp.asarray(kernel, jnp.float64)))
        finally:
            jax.config.update("jax_enable_x64", False)

    return lambda: function(jnp.asarray(kernel, jnp.float32)), in_double


def three(function, expected, kernel=KERNEL):
    def program():
        single, double = normal(kernel, function)
        return single, expected(kernel), double

    return program


def log_det(kernel):
    return np.linalg.slogdet(kernel)[1]


def by_factor(kernel):
    return 2 * jnp.log(jnp.diag(jnp.linalg.cholesky(kernel))).sum()


vary("the log determinant", "silent", "holds")(three(by_factor, log_det))
vary("under jit", "silent", "holds")(three(jax.jit(by_factor), log_det))
vary("under vmap", "silent", "holds")(three(lambda k: jax.vmap(by_factor)(k[None])[0], log_det))
vary("by cho_factor", "silent", "holds")(
    three(lambda k: 2 * jnp.log(jnp.diag(cho_factor(k)[0])).sum(), log_det)
)
vary("cho_solve, its product with the matrix", "silent", "holds")(
    three(lambda k: k @ cho_solve(cho_factor(k), jnp.asarray(HEIGHTS)), lambda k: HEIGHTS)
)
vary("a solve, which is finite", "silent", "holds")(
    three(
        lambda k: jnp.linalg.solve(k, jnp.asarray(HEIGHTS)) / 1e5,
        lambda k: np.linalg.solve(k, HEIGHTS) / 1e5,
    )
)


def density(kernel):
    return dist.MultivariateNormal(0.0, covariance_matrix=kernel).log_prob(jnp.asarray(HEIGHTS))


def by_formula(kernel):
    fit = HEIGHTS @ np.linalg.solve(kernel, HEIGHTS)
    return -(fit + log_det(kernel) + 50 * np.log(2 * np.pi)) / 2


def validated(kernel):
    return dist.MultivariateNormal(0.0, covariance_matrix=kernel, validate_args=True)


vary("the density of NumPyro, under jit", "silent", "holds")(three(jax.jit(density), by_formula))
vary("not under jit, with validation", "ValueError", "holds")(
    three(lambda kernel: validated(kernel).log_prob(jnp.asarray(HEIGHTS)), by_formula)
)
vary("a draw of JAX", "silent", "holds")(
    three(
        lambda k: jnp.isfinite(
            jax.random.multivariate_normal(jax.random.PRNGKey(0), jnp.zeros(50), k)
        ),
        lambda k: np.full(50, True),
    )
)
vary("a larger kernel", "silent", "holds")(
    three(by_factor, log_det, 100 * np.exp(-10 * GAPS**2) + 1e-5 * np.eye(50))
)
vary("a regression of powers", "silent", "holds")(
    three(
        by_factor,
        log_det,
        (lambda x: x.T @ x)(np.vander(TIMES, 10)),
    )
)
vary("a matrix without a factor", "silent", "falls")(
    three(lambda k: jnp.isfinite(jnp.linalg.cholesky(k)).all(), lambda k: True, -np.eye(3))
)
vary("looks like a cure: cast once it is made", "silent", "falls")(
    lambda: (
        normal(KERNEL, by_factor)[0],
        log_det(KERNEL),
        normal(np.float32(np.exp(np.float32(-10 * GAPS**2))) + 1e-8 * np.eye(50), by_factor)[1],
    )
)
vary("much noise", "right", "-")(
    lambda: (
        normal(np.exp(-10 * GAPS**2) + 1e-2 * np.eye(50), by_factor)[0],
        log_det(np.exp(-10 * GAPS**2) + 1e-2 * np.eye(50)),
        None,
    )
)
