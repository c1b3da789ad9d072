"""Looking at a covariance matrix changes the pytree structure of the distribution.

A belief, a `MultivariateNormal`, is the carry of a scan. Somebody looks at its
`covariance_matrix` before. `ok`: the scan runs, and the last belief is the one that adding up the
moves by hand gives.
"""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro.distributions as dist
from jax import lax

DECIDED_BY = ("numpyro",)
FAILS = {"TypeError": r"carry.* structure"}
WARNS: dict[str, str] = {}

MOVES = jnp.array([[1.0, 0.0], [0.0, 2.0], [3.0, 1.0]])
SCALE_TRIL = jnp.array([[1.0, 0.0], [0.5, 2.0]])
COVARIANCE = [[1.0, 0.5], [0.5, 4.25]]  # SCALE_TRIL @ SCALE_TRIL.T


def reproduce() -> str | None:
    def step(belief: dist.Distribution, move: jax.Array):
        belief = dist.MultivariateNormal(belief.loc + move, scale_tril=belief.scale_tril)
        return belief, belief.loc

    belief = dist.MultivariateNormal(jnp.zeros(2), scale_tril=SCALE_TRIL)
    np.testing.assert_allclose(belief.covariance_matrix, COVARIANCE)  # only a look
    last, _ = lax.scan(step, belief, MOVES)
    right = np.allclose(last.loc, [4.0, 3.0]) and np.allclose(last.covariance_matrix, COVARIANCE)
    return None if right else f"last belief at {last.loc}, not [4, 3]"


def fix() -> None:
    """Carry the arrays, and build the distribution where it is used."""

    def step(loc: jax.Array, move: jax.Array):
        belief = dist.MultivariateNormal(loc + move, scale_tril=SCALE_TRIL)
        return belief.loc, belief.covariance_matrix

    belief = dist.MultivariateNormal(jnp.zeros(2), scale_tril=SCALE_TRIL)
    np.testing.assert_allclose(belief.covariance_matrix, COVARIANCE)
    loc, covariances = lax.scan(step, belief.loc, MOVES)
    np.testing.assert_allclose(loc, [4.0, 3.0])
    np.testing.assert_allclose(covariances, [COVARIANCE] * 3, rtol=1e-6)


if __name__ == "__main__":
    from _run import show

    show(__file__)
