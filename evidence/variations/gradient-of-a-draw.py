"""Variations of *The gradient through a draw or an argmax is zero*: a gradient, by SciPy too."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro.distributions as dist
from jax import lax
from scipy.special import expit, softmax

from evidence.variation import vary

COSTS = np.float32([1.0, 3.0, 9.0, 4.0])
LOGITS = np.float32([0.1, 0.5, -0.2, 0.3])


def slopes(function, at, h=1e-6):
    at = np.asarray(at, float)
    steps = h * np.eye(at.size).reshape(at.size, *at.shape)
    return np.array([(function(at + e) - function(at - e)) / (2 * h) for e in steps])


MEAN = slopes(lambda logits: softmax(logits) @ COSTS.astype(float), LOGITS)


def drawn(logits, seed=0, n=1000):
    return jax.random.categorical(jax.random.PRNGKey(seed), logits, shape=(n,))


def loss(logits, **options):
    return jnp.asarray(COSTS)[drawn(logits, **options)].mean()


def weighted(logits):
    return jax.nn.softmax(logits) @ COSTS


def three(bad, good=weighted, expected=MEAN, at=LOGITS, way=jax.grad):
    return lambda: way(bad)(at), expected, lambda: way(good)(at)


vary("as on the page", "silent", "holds")(lambda: three(loss))
vary("forward mode, jit", "silent", "holds")(
    lambda: three(loss, way=lambda of: jax.jit(jax.jacfwd(of)))
)
vary("a draw of NumPyro", "silent", "holds")(
    lambda: three(
        lambda logits: jnp.asarray(COSTS)[
            dist.Categorical(logits=logits).sample(jax.random.PRNGKey(0), (50,))
        ].mean()
    )
)
vary("choice with probabilities", "silent", "holds")(
    lambda: three(
        lambda logits: jax.random.choice(
            jax.random.PRNGKey(0), COSTS, (50,), p=jax.nn.softmax(logits)
        ).mean()
    )
)
vary("one hot of the argmax", "silent", "holds")(
    lambda: three(lambda logits: jax.nn.one_hot(jnp.argmax(logits), 4) @ COSTS)
)
vary("in a scan", "silent", "holds")(
    lambda: three(
        lambda logits: lax.scan(
            lambda total, seed: (total + jnp.asarray(COSTS)[drawn(logits, seed, 1)[0]] / 5, None),
            jnp.zeros(()),
            jnp.arange(5),
        )[0]
    )
)
vary("a Bernoulli draw and its probability", "silent", "holds")(
    lambda: three(
        lambda logit: (
            jax.random.bernoulli(jax.random.PRNGKey(0), jax.nn.sigmoid(logit), (99,))
            .astype(float)
            .mean()
        ),
        jax.nn.sigmoid,
        slopes(expit, 0.3)[0],
        0.3,
    )
)
vary("a share above a threshold, made smooth", "silent", "holds")(
    lambda: three(
        lambda shift: (shift + COSTS > 4).astype(float).mean(),
        lambda shift: jax.nn.sigmoid(shift + COSTS - 4).mean(),
        slopes(lambda shift: expit(shift + COSTS - 4.0).mean(), 0.5)[0],
        0.5,
    )
)
vary("a normal draw has a gradient", "right", "holds")(
    lambda: three(
        lambda scale: (scale * jax.random.normal(jax.random.PRNGKey(0), (9,)) ** 2).mean(),
        lambda scale: (scale * jax.random.normal(jax.random.PRNGKey(0), (9,)) ** 2).mean(),
        float((jax.random.normal(jax.random.PRNGKey(0), (9,)) ** 2).mean()),
        2.0,
    )
)
vary("looks right: more draws", "silent", "falls")(
    lambda: three(loss, lambda logits: loss(logits, n=100_000))
)
vary("looks right: a straight-through rounding of the index", "silent", "falls")(
    lambda: three(loss, lambda logits: loss(logits + lax.stop_gradient(jnp.round(logits) - logits)))
)
