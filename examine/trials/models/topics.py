"""Words in documents: shares of topics by document, one multinomial a document."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist


def model(words):
    documents, vocabulary = words.shape
    with numpyro.plate("topics", 3):
        topic = numpyro.sample("topic", dist.Dirichlet(jnp.full(vocabulary, 0.5)))
    alpha = numpyro.sample("alpha", dist.Gamma(2.0, 1.0).expand([3]).to_event(1))
    with numpyro.plate("documents", documents):
        share = numpyro.sample("share", dist.Dirichlet(alpha))
        total = words.sum(-1).astype(int)
        law = dist.Multinomial(total, probs=share @ topic, total_count_max=40)
        numpyro.sample("words", law, obs=words)


arguments = (np.random.default_rng(122).multinomial(40, np.full(15, 1 / 15), 12),)
