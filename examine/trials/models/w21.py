"""Dirichlet-multinomial"""

import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(counts):
    conc = numpyro.sample("conc", dist.Gamma(2.0, 0.5).expand([4]).to_event(1))
    with numpyro.plate("sample", counts.shape[0]):
        numpyro.sample("counts", dist.DirichletMultinomial(conc, counts.sum(-1)), obs=counts)


arguments = (rng.multinomial(50, [0.1, 0.2, 0.3, 0.4], size=15),)
