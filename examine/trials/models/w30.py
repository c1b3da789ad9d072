"""enumerated mixture with a matrix of data"""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(y):
    K = 2
    w = numpyro.sample("w", dist.Dirichlet(jnp.ones(K)))
    with numpyro.plate("k", K):
        mu = numpyro.sample("mu", dist.Normal(0, 3).expand([y.shape[1]]).to_event(1))
    with numpyro.plate("n", y.shape[0]):
        z = numpyro.sample("z", dist.Categorical(w), infer={"enumerate": "parallel"})
        numpyro.sample("y", dist.Normal(mu[z], 1.0).to_event(1), obs=y)


arguments = (np.concatenate([rng.normal(-2, 1, (20, 3)), rng.normal(2, 1, (20, 3))]),)
