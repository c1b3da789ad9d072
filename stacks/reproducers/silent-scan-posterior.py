"""A transformed distribution inside `scan` and `plate`, as many steps as series: time is lost.

Step t draws x_t = t + 2 z_t for each of five series, z_t being standard normal. `ok`: the model's
log density at a given point is the sum that a loop over steps and series gives.
"""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.contrib.control_flow import scan
from numpyro.handlers import reparam
from numpyro.infer.reparam import TransformReparam
from numpyro.infer.util import log_density

DECIDED_BY = ("numpyro",)
# The loud ancestors of the silence: before NumPyro 0.17.0 stacking the steps was an error.
FAILS = {
    "IndexError": r"list index out of range",
    "NotImplementedError": r"Flatenning TransformedDistribution",
}
WARNS: dict[str, str] = {}

STEPS = SERIES = 5
TIMES = np.arange(1.0, STEPS + 1)
NOISE = np.random.default_rng(0).normal(size=(STEPS, SERIES))
POINT = TIMES[:, None] + 2.0 * NOISE


def draw(t: jnp.ndarray) -> jnp.ndarray:
    shift = dist.transforms.AffineTransform(t, 2.0)
    with numpyro.plate("series", SERIES):
        return numpyro.sample("x", dist.TransformedDistribution(dist.Normal(0.0, 1.0), shift))


def transformed() -> None:
    scan(lambda carry, t: (carry, draw(t)), None, jnp.asarray(TIMES))


def from_noise() -> None:
    """The same model. The handler stands inside the step: from outside it sees no site of it."""

    def step(carry: None, t: jnp.ndarray):
        with reparam(config={"x": TransformReparam()}):
            return carry, draw(t)

    scan(step, None, jnp.asarray(TIMES))


def log_standard_normal(z: np.ndarray) -> float:
    return float(np.sum(-(z**2) / 2 - np.log(2 * np.pi) / 2))


def reproduce() -> str | None:
    got, trace = log_density(transformed, (), {}, {"x": jnp.asarray(POINT)})
    want = log_standard_normal(NOISE) - NOISE.size * np.log(2.0)
    if abs(got - want) < 1e-3:
        return None
    shape = trace["x"]["fn"].batch_shape
    return f"batch_shape {shape}, log density {got:.3f}, by hand {want:.3f}"


def fix() -> None:
    """`TransformReparam`: only the base normal is a stacked site."""
    got, trace = log_density(from_noise, (), {}, {"x_base": jnp.asarray(NOISE)})
    np.testing.assert_allclose(got, log_standard_normal(NOISE), rtol=1e-5)
    np.testing.assert_allclose(trace["x"]["value"], POINT, rtol=1e-5)


if __name__ == "__main__":
    from _run import show

    show(__file__)
