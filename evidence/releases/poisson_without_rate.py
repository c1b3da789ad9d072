"""The log density of no events at a rate of zero, which is zero."""

import jax.numpy as jnp
import numpy as np
import numpyro.distributions as dist

got = np.asarray(dist.Poisson(jnp.array([0.0, 0.0, 1.0])).log_prob(jnp.array([0, 0, 1])))
wrong = ~np.isclose(got, [0.0, 0.0, -1.0], atol=1e-5)
print(wrong.sum(), "of", wrong.size)
