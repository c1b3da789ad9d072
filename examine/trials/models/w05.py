"""hidden Markov model, forward algorithm"""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist

rng = np.random.default_rng(20)
np.random.seed(20)


def model(y):
    with numpyro.plate("state", 2):
        trans = numpyro.sample("trans", dist.Dirichlet(jnp.array([4.0, 1.0])))
        mu = numpyro.sample("mu", dist.Normal(0, 3))

    def step(alpha, yt):
        alpha = jax.nn.logsumexp(alpha[:, None] + jnp.log(trans), 0) + dist.Normal(
            mu, 1.0
        ).log_prob(yt)
        return alpha, None

    alpha = -jnp.log(2.0) + dist.Normal(mu, 1.0).log_prob(y[0])
    alpha, _ = jax.lax.scan(step, alpha, y[1:])
    numpyro.factor("ll", jax.nn.logsumexp(alpha))


arguments = (
    np.repeat([-2.0, 2.0, -2.0], 20).astype(np.float32) + rng.normal(size=60).astype(np.float32),
)
