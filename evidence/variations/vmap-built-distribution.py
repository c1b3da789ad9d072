"""Variations of *A distribution built under `vmap` draws the same noise for all*.

Distinct noises.
"""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro.distributions as dist

from tools.variations import vary


def three(make, undo, size=3, number=0, jit=False):
    """Count the noises in one draw; `undo` takes the parameters out of a draw."""
    means = 1.0 + jnp.arange(float(size))
    key = jax.random.PRNGKey(number)

    def distinct(build):
        draw = lambda: build(means).sample(key)
        noise = undo(np.asarray((jax.jit(draw) if jit else draw)()), np.asarray(means))
        return len(np.unique(np.round(noise, 3)))

    return lambda: distinct(lambda m: jax.vmap(make)(m)), size, lambda: distinct(make)


def shift(drawn, means):
    return drawn - means


def scale(drawn, means):
    return drawn / means


vary("normals", "silent", "holds")(lambda: three(lambda m: dist.Normal(m, 1.0), shift))
vary("another seed, ten members", "silent", "holds")(
    lambda: three(lambda m: dist.Normal(m, 1.0), shift, 10, 5)
)
vary("one member", "right", "holds")(lambda: three(lambda m: dist.Normal(m, 1.0), shift, 1))
vary("under jit", "silent", "holds")(lambda: three(lambda m: dist.Normal(m, 1.0), shift, jit=True))
vary("Cauchy", "silent", "holds")(lambda: three(lambda m: dist.Cauchy(m, 1.0), shift))
vary("HalfNormal", "silent", "holds")(lambda: three(dist.HalfNormal, scale))
vary("Uniform", "ValueError", "holds", then=("TypeError", "holds"))(
    lambda: three(lambda m: dist.Uniform(m, m + 1.0), shift)
)
vary("Gamma", "ValueError", "holds")(lambda: three(lambda m: dist.Gamma(2.0, 1 / m), scale))
vary("expand outside as the cure", "silent", "holds")(
    lambda: (
        *three(lambda m: dist.Normal(m, 1.0), shift)[:2],
        lambda: expanded(jnp.arange(3.0)),
    )
)


def expanded(means):
    built = jax.vmap(lambda m: dist.Normal(m, 1.0))(means).expand([3])
    drawn = built.sample(jax.random.PRNGKey(0))
    return len(np.unique(np.round(np.asarray(drawn - means), 3)))
