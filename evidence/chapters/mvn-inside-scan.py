"""`MultivariateNormal` inside `scan` (4 steps) and `plate` (5 series): the plate's axis is lost.

`ok`: NUTS runs, and the model's log density at a given point is the sum that a loop over steps and
series gives.
"""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.contrib.control_flow import scan
from numpyro.infer import MCMC, NUTS
from numpyro.infer.util import log_density

EXPECT = {"raises": "ValueError", "match": "Incompatible shapes for broadcasting"}
TOLERANCE = 1e-5

STEPS, SERIES = 4, 5
SCALE_TRIL = np.array([[1.0, 0.0], [0.5, 2.0]])
POINT = np.random.default_rng(0).normal(size=(STEPS, SERIES, 2))


def normals(steps: int) -> None:
    """Each step is `MultivariateNormal`, centred on half the step before."""

    def step(before: jax.Array, _: None):
        with numpyro.plate("series", SERIES):
            now = numpyro.sample("x", dist.MultivariateNormal(before / 2, scale_tril=SCALE_TRIL))
        return now, now

    scan(step, jnp.zeros((SERIES, 2)), None, length=steps)


def noise(steps: int) -> None:
    """The same series, from standard normal noise.

    A second plate and no `.to_event(1)`, which NumPyro 0.13.0 to 0.13.2 cannot stack either.
    """

    def step(before: jax.Array, _: None):
        with numpyro.plate("series", SERIES, dim=-2), numpyro.plate("axes", 2, dim=-1):
            eps = numpyro.sample("eps", dist.Normal(0.0, 1.0))
        now = before / 2 + eps @ SCALE_TRIL.T
        return now, now

    _, path = scan(step, jnp.zeros((SERIES, 2)), None, length=steps)
    numpyro.deterministic("x", path)


def log_standard_normal(eps: np.ndarray) -> float:
    return float(np.sum(-(eps**2) / 2 - np.log(2 * np.pi) / 2))


def path_of(eps: np.ndarray) -> np.ndarray:
    """The series that noise `eps` of shape (steps, series, 2) makes, by a loop."""
    now, path = np.zeros((SERIES, 2)), []
    for row in eps:
        now = now / 2 + row @ SCALE_TRIL.T
        path.append(now)
    return np.stack(path)


def draw(model) -> None:
    mcmc = MCMC(NUTS(model), num_warmup=5, num_samples=5, progress_bar=False)
    mcmc.run(jax.random.PRNGKey(0), STEPS)


# The density of x is that of the noise over the volume by which SCALE_TRIL stretches it.
STRETCHED = STEPS * SERIES * np.log(2.0)
expected = log_standard_normal(POINT) - STRETCHED


def program() -> jax.Array:
    draw(normals)
    return log_density(normals, (STEPS,), {}, {"x": jnp.asarray(path_of(POINT))})[0]


def cure() -> jax.Array:
    """Sample standard normal noise and build `loc + L @ eps`."""
    draw(noise)
    got, trace = log_density(noise, (STEPS,), {}, {"eps": jnp.asarray(POINT)})
    np.testing.assert_allclose(trace["x"]["value"], path_of(POINT), rtol=1e-4, atol=1e-5)
    return got - STRETCHED
