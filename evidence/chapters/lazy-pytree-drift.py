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

EXPECT = {"raises": "TypeError", "match": "carry.* structure"}
TOLERANCE = 1e-6

MOVES = jnp.array([[1.0, 0.0], [0.0, 2.0], [3.0, 1.0]])
SCALE_TRIL = jnp.array([[1.0, 0.0], [0.5, 2.0]])
COVARIANCE = np.array([[1.0, 0.5], [0.5, 4.25]])  # SCALE_TRIL @ SCALE_TRIL.T
expected = np.array([4.0, 3.0]), COVARIANCE


def program() -> tuple[jax.Array, jax.Array]:
    def step(belief: dist.Distribution, move: jax.Array):
        belief = dist.MultivariateNormal(belief.loc + move, scale_tril=belief.scale_tril)
        return belief, belief.loc

    belief = dist.MultivariateNormal(jnp.zeros(2), scale_tril=SCALE_TRIL)
    np.testing.assert_allclose(belief.covariance_matrix, COVARIANCE)  # only a look
    last, _ = lax.scan(step, belief, MOVES)
    return last.loc, last.covariance_matrix


def cure() -> tuple[jax.Array, jax.Array]:
    """Carry the arrays, and build the distribution where it is used."""

    def step(loc: jax.Array, move: jax.Array):
        belief = dist.MultivariateNormal(loc + move, scale_tril=SCALE_TRIL)
        return belief.loc, belief.covariance_matrix

    belief = dist.MultivariateNormal(jnp.zeros(2), scale_tril=SCALE_TRIL)
    np.testing.assert_allclose(belief.covariance_matrix, COVARIANCE)
    loc, covariances = lax.scan(step, belief.loc, MOVES)
    return loc, covariances[-1]
