"""item response"""

import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(person, item, right, P, I):
    with numpyro.plate("P", P):
        ability = numpyro.sample("ability", dist.Normal(0, 1))
    with numpyro.plate("I", I):
        hard = numpyro.sample("hard", dist.Normal(0, 1))
        disc = numpyro.sample("disc", dist.LogNormal(0, 0.3))
    with numpyro.plate("n", len(right)):
        numpyro.sample(
            "right", dist.Bernoulli(logits=disc[item] * (ability[person] - hard[item])), obs=right
        )


arguments = (
    np.repeat(np.arange(15), 8),
    np.tile(np.arange(8), 15),
    rng.integers(0, 2, size=120),
    15,
    8,
)
