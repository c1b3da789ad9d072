"""state: kernel kept on the class"""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


class Spatial:
    _chol = None

    def __init__(self, coords):
        self.coords = jnp.asarray(coords)

    def chol(self, length):
        if Spatial._chol is None:
            d2 = ((self.coords[:, None] - self.coords[None]) ** 2).sum(-1)
            Spatial._chol = jnp.linalg.cholesky(
                jnp.exp(-0.5 * d2 / length**2) + 1e-3 * jnp.eye(len(d2))
            )
        return Spatial._chol

    def __call__(self, y):
        length = numpyro.sample("length", dist.LogNormal(0, 0.3))
        with numpyro.plate("site", len(y)):
            z = numpyro.sample("z", dist.Normal(0, 1))
            numpyro.sample("y", dist.Poisson(jnp.exp(self.chol(length) @ z)), obs=y)


model = Spatial(rng.uniform(0, 3, size=(20, 2)))
arguments = (rng.poisson(2.0, size=20),)
