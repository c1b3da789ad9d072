"""Variations of *Draws saved in float32 have density zero in float64*: priors and their draws."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.distributions import biject_to
from numpyro.infer.util import log_density

from evidence.variation import vary

PRIORS = {
    "a correlation of two, as on the page": lambda: dist.LKJCholesky(2, 3.0),
    "ten dimensions": lambda: dist.LKJCholesky(10, 1.0),
    "LKJ": lambda: dist.LKJ(3, 2.0),
    "ZeroSumNormal": lambda: dist.ZeroSumNormal(1.0, (4,)),
    "ZeroSumNormal of two axes": lambda: dist.ZeroSumNormal(1.0, (3, 4)),
    "Dirichlet": lambda: dist.Dirichlet(jnp.ones(3)),
}
SINGULAR = {"nearly singular": lambda: dist.LKJCholesky(3, 0.1)}
IN_32 = {}
for name, prior in (PRIORS | SINGULAR).items():
    saved = np.asarray(prior().sample(jax.random.key(0), (200,)))
    IN_32[name] = saved, np.asarray(prior().log_prob(saved))
jax.config.update("jax_enable_x64", True)


def there_and_back(prior, draws):
    move = biject_to(prior.support)
    return prior, move(move.inv(jnp.asarray(draws, float)))


def three(name, cure=there_and_back, density=lambda prior, x: jax.vmap(prior.log_prob)(x)):
    saved, expected = IN_32[name]
    prior = (PRIORS | SINGULAR)[name]()

    def cured():
        return density(*cure(prior, saved))

    return lambda: density(prior, jnp.asarray(saved, float)), lambda: expected, cured


def in_a_model(prior, x):
    def model():
        numpyro.sample("x", prior)

    return jax.vmap(lambda x: log_density(model, (), {}, {"x": x})[0])(x)


def unchecked(prior, draws):
    prior._validate_args = False
    return prior, jnp.asarray(draws, float)


THEN = "right", "holds"  # before NumPyro 0.22.0
FIRST = "a correlation of two, as on the page"
for name in PRIORS:
    hit = "right" if name == "Dirichlet" else "silent"
    vary(name, hit, "holds", then=THEN)(lambda name=name: three(name))
vary("in a model", "silent", "holds", then=THEN)(lambda: three(FIRST, density=in_a_model))
vary("without vmap: it warns", "silent", "holds", then=THEN)(
    lambda: three(FIRST, density=lambda prior, x: prior.log_prob(x))
)
vary("the cure is the draws in 32 bits", "silent", "holds", then=THEN)(
    lambda: three(FIRST, cure=lambda prior, x: (prior, x))
)
vary("the cure is no validation", "silent", "holds", then=THEN)(
    lambda: three(FIRST, cure=unchecked)
)
vary("the cure is eps added", "silent", "falls", then=THEN)(
    lambda: three(FIRST, cure=lambda prior, x: (prior, jnp.asarray(x, float) + 1e-8))
)
vary("nearly singular; the cure is the draws in 32 bits", "silent", "holds", then=THEN)(
    lambda: three("nearly singular", cure=lambda prior, x: (prior, x))
)
vary("nearly singular; the cure is no validation", "silent", "holds", then=THEN)(
    lambda: three("nearly singular", cure=unchecked)
)
vary("looks right: nearly singular, there and back", "silent", "falls", then=("right", "falls"))(
    lambda: three("nearly singular")
)
vary("looks right: no validation of LKJ, whose base does", "silent", "falls", then=THEN)(
    lambda: three("LKJ", cure=unchecked)
)


@vary("expanded, one draw after the other", "silent", "holds", then=THEN)
def _():
    prior = dist.LKJCholesky(dimension=3, concentration=2.0).expand([2])
    exact = prior.sample(jax.random.key(1), (5,))
    saved = np.asarray(exact, "float32")
    each = lambda draws: jax.lax.map(prior.log_prob, draws)
    cured = lambda: each(there_and_back(prior, saved)[1])
    return lambda: each(jnp.asarray(saved, float)), prior.log_prob(exact), cured


@vary("counts of a simplex of 400 from an npz", "right", "holds")
def _():
    shares = np.asarray(dist.Dirichlet(jnp.ones(400)).sample(jax.random.key(1), (20,)), "float32")
    counted = lambda shares: dist.Multinomial(5, probs=shares).log_prob(jnp.eye(400)[0] * 5)
    cured = lambda: counted(there_and_back(dist.Dirichlet(jnp.ones(400)), shares)[1])
    expected = 5 * np.log(shares[:, 0].astype(float))
    return lambda: counted(jnp.asarray(shares, float)), expected, cured
