"""state: slots dataclass remembers the weights"""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)

import dataclasses


@dataclasses.dataclass(slots=True)
class Weights:
    power: float
    memo: object = None

    def of(self, scale, x):
        if self.memo is None:
            w = jnp.exp(-(jnp.abs(x) ** self.power) / scale)
            self.memo = w / w.mean()
        return self.memo


weights = Weights(2.0)


def model(x, y):
    scale = numpyro.sample("scale", dist.HalfNormal(2.0))
    b = numpyro.sample("b", dist.Normal(0, 1))
    with numpyro.plate("n", len(y)):
        numpyro.sample("y", dist.Normal(b * x * weights.of(scale, x), 0.5), obs=y)


x = rng.normal(size=30)
arguments = (x, x * np.exp(-(x**2)))
