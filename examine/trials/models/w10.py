"""ordered logistic"""

import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(x, grade):
    b = numpyro.sample("b", dist.Normal(0, 1))
    cuts = numpyro.sample(
        "cuts",
        dist.TransformedDistribution(
            dist.Normal(0, 2).expand([3]).to_event(1), dist.transforms.OrderedTransform()
        ),
    )
    with numpyro.plate("n", len(grade)):
        numpyro.sample("grade", dist.OrderedLogistic(b * x, cuts), obs=grade)


arguments = (rng.normal(size=60), rng.integers(0, 4, size=60))
