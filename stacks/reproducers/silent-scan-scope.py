"""A `scope` around `scan`: the sampler proposes values that never reach the loop.

The level of day t is normal around the level of the day before, and is read with noise. `ok`: the
gradient of the potential energy that NUTS follows is the one on paper.
"""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.contrib.control_flow import scan
from numpyro.handlers import scope
from numpyro.infer.util import initialize_model

DECIDED_BY = ("numpyro",)
# The loud ancestor of the silence: before NumPyro 0.17.0 there was no key to draw with in a loop.
FAILS = {"AssertionError": r"^$"}
WARNS: dict[str, str] = {}

READINGS = np.array([0.5, 1.5, 2.0, 3.5, 5.0])


def step(level: jnp.ndarray, reading: jnp.ndarray):
    level = numpyro.sample("level", dist.Normal(level, 1.0))
    numpyro.sample("reading", dist.Normal(level, 0.5), obs=reading)
    return level, None


def scope_outside() -> None:
    with scope(prefix="station"):
        scan(step, 0.0, jnp.asarray(READINGS))


def scope_inside() -> None:
    """The same model. The handler stands inside the loop, where the values are looked up."""
    scan(scope(step, prefix="station"), 0.0, jnp.asarray(READINGS))


def gradient(model) -> np.ndarray:
    """The gradient of the potential energy where all levels are 0: on paper, -READINGS / 0.5²."""
    potential = initialize_model(jax.random.PRNGKey(0), model).potential_fn
    return np.asarray(jax.grad(potential)({"station/level": jnp.zeros(5)})["station/level"])


def reproduce() -> str | None:
    got, want = gradient(scope_outside), -READINGS / 0.25
    return None if np.allclose(got, want) else f"gradient {got}, by hand {want}"


def fix() -> None:
    """The scope inside the step."""
    np.testing.assert_allclose(gradient(scope_inside), -READINGS / 0.25, rtol=1e-5)


if __name__ == "__main__":
    from _run import show

    show(__file__)
