"""Variations of *The logarithm of a small probability is minus infinity*: by SciPy in float64."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro.distributions as dist
from jax.scipy import stats
from scipy import stats as scipy_stats
from scipy.special import log_expit, log_softmax

from evidence.variation import vary

LOGITS = np.float32([[4, 1, 0], [-60, 70, 2]])
SEEN = np.array([0, 0])


def loss(log_of, pick=lambda rows: rows[np.arange(2), SEEN]):
    return lambda logits: -pick(log_of(logits))


naive = lambda x: jnp.log(jax.nn.softmax(x))
EXPECTED = -log_softmax(LOGITS.astype(float), axis=1)[np.arange(2), SEEN]


def three(good=jax.nn.log_softmax, bad=naive, way=lambda of: of):
    return lambda: way(loss(bad))(LOGITS), EXPECTED, lambda: way(loss(good))(LOGITS)


vary("as on the page", "silent", "holds")(lambda: three())
vary("under jit", "silent", "holds")(lambda: three(way=jax.jit))
vary("under vmap", "silent", "holds")(
    lambda: (
        lambda: jax.vmap(lambda x, k: -naive(x)[k])(LOGITS, SEEN),
        EXPECTED,
        lambda: jax.vmap(lambda x, k: -jax.nn.log_softmax(x)[k])(LOGITS, SEEN),
    )
)
vary("a Categorical of probabilities", "silent", "holds")(
    lambda: (
        lambda: -dist.Categorical(probs=jax.nn.softmax(LOGITS)).log_prob(SEEN),
        EXPECTED,
        lambda: -dist.Categorical(logits=LOGITS).log_prob(SEEN),
    )
)
vary("a Bernoulli of a probability", "silent", "holds")(
    lambda: (
        lambda: dist.Bernoulli(probs=jax.nn.sigmoid(-120.0)).log_prob(1),
        log_expit(-120.0),
        lambda: dist.Bernoulli(logits=-120.0).log_prob(1),
    )
)
vary("a Multinomial of probabilities", "silent", "holds")(
    lambda: (
        lambda: dist.Multinomial(1, probs=jax.nn.softmax(LOGITS[1])).log_prob(np.eye(3)[0]),
        -EXPECTED[1],
        lambda: dist.Multinomial(1, logits=LOGITS[1]).log_prob(np.eye(3)[0]),
    )
)
vary("a Geometric of a probability", "silent", "holds")(
    lambda: (
        lambda: dist.Geometric(probs=jax.nn.sigmoid(-120.0)).log_prob(0),
        log_expit(-120.0),
        lambda: dist.Geometric(logits=-120.0).log_prob(0),
    )
)
vary("the slope of a Bernoulli", "silent", "holds")(
    lambda: (
        lambda: jax.grad(lambda x: dist.Bernoulli(probs=jax.nn.sigmoid(x)).log_prob(1))(-120.0),
        1.0,
        lambda: jax.grad(lambda x: dist.Bernoulli(logits=x).log_prob(1))(-120.0),
    )
)
vary("a distant observation", "silent", "holds")(
    lambda: (
        lambda: jnp.log(stats.norm.pdf(20.0)),
        scipy_stats.norm.logpdf(20.0),
        lambda: stats.norm.logpdf(20.0),
    )
)
vary("the slope of a distant tail", "silent", "falls")(
    lambda: (
        lambda: jax.grad(lambda x: jnp.log(stats.norm.cdf(x)))(-1e4),
        1e4,
        lambda: jax.grad(stats.norm.logcdf)(-1e4),
    )
)
vary("near 1, where 1 - p is taken", "silent", "holds")(
    lambda: (
        lambda: jnp.log(1 - jax.nn.sigmoid(17.0)),
        log_expit(-17.0),
        lambda: jax.nn.log_sigmoid(-17.0),
    )
)
vary("a tail, censored", "silent", "holds")(
    lambda: (
        lambda: jnp.log(1 - stats.norm.cdf(20.0)),
        scipy_stats.norm.logsf(20.0),
        lambda: stats.norm.logsf(20.0),
    )
)
vary("a product of densities", "silent", "holds")(
    lambda: (
        lambda: jnp.log(stats.norm.pdf(jnp.full(200, 1.0)).prod()),
        200 * scipy_stats.norm.logpdf(1.0),
        lambda: stats.norm.logpdf(jnp.full(200, 1.0)).sum(),
    )
)
vary("logits up to 60 are right", "right", "holds")(
    lambda: (
        lambda: naive(LOGITS / 2)[1, 0],
        log_softmax(LOGITS[1].astype(float) / 2)[0],
        lambda: jax.nn.log_softmax(LOGITS / 2)[1, 0],
    )
)
vary("looks right: a small number added", "silent", "falls")(
    lambda: three(lambda x: jnp.log(jax.nn.softmax(x) + 1e-8))
)
vary("looks right: clip", "silent", "falls")(
    lambda: three(lambda x: jnp.log(jnp.clip(jax.nn.softmax(x), 1e-7, 1.0)))
)


def _slope(log_of):
    of = lambda x: -log_of(x)[0]
    return lambda: jax.grad(of)(jnp.float32([-60.0, 70.0]))


vary("the gradient; looks right: a where", "silent", "falls")(
    lambda: (
        _slope(naive),
        [-1.0, 1.0],
        _slope(lambda x: jnp.where(jax.nn.softmax(x) > 0, naive(x), 0.0)),
    )
)
vary("the gradient", "silent", "holds")(
    lambda: (_slope(naive), [-1.0, 1.0], _slope(jax.nn.log_softmax))
)
