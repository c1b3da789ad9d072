"""Variations of *Half of the transitions diverge, and nothing says so*: is the wall passed?"""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.infer import MCMC, NUTS

from evidence.variation import vary

jax.config.update("jax_disable_most_optimizations", True)
SIGNAL = np.linspace(-10, 10, 41)
WALL = 1.67


def by_hand(steepness, answer):
    yes = jax.nn.sigmoid(steepness * SIGNAL)
    numpyro.factor("answer", (answer * jnp.log(yes) + (1 - answer) * jnp.log(1 - yes)).sum())


def by_log1p(steepness, answer):
    yes = jax.nn.sigmoid(steepness * SIGNAL)
    numpyro.factor("answer", (answer * jnp.log(yes) + (1 - answer) * jnp.log1p(-yes)).sum())


def by_logits(steepness, answer):
    numpyro.sample("answer", dist.Bernoulli(logits=steepness * SIGNAL), obs=answer)


def by_probs(steepness, answer):
    probs = jax.nn.sigmoid(steepness * SIGNAL)
    numpyro.sample("answer", dist.Bernoulli(probs=probs), obs=answer)


def by_log_sigmoid(steepness, answer):
    logits = jnp.where(answer == 1, 1, -1) * steepness * SIGNAL
    numpyro.factor("answer", jax.nn.log_sigmoid(logits).sum())


def in_a_plate(steepness, answer):
    with numpyro.plate("signals", len(SIGNAL)):
        numpyro.sample("answer", dist.BernoulliLogits(steepness * SIGNAL), obs=answer)


def as_factor(steepness, answer):
    law = dist.Binomial(total_count=1, logits=steepness * SIGNAL)
    numpyro.factor("answer", law.log_prob(answer).sum())


def in_a_loop(steepness, answer):
    """Add up the log density in a loop of its own."""
    step = lambda total, one: (
        total + dist.Bernoulli(logits=steepness * one[0]).log_prob(one[1]),
        0,
    )
    numpyro.factor("answer", jax.lax.scan(step, 0.0, (jnp.asarray(SIGNAL), answer))[0])


class Logits:
    def __call__(self, steepness, answer):
        by_logits(steepness, answer)


def clipped(steepness, answer):
    """Keep the probability away from one by a small number."""
    yes = jnp.clip(jax.nn.sigmoid(steepness * SIGNAL), 1e-6, 1 - 1e-6)
    numpyro.factor("answer", (answer * jnp.log(yes) + (1 - answer) * jnp.log(1 - yes)).sum())


def passed(likelihood, number=2, key=0, **options):
    """Whether a draw lies beyond the wall."""
    answer = np.random.default_rng(number).binomial(1, 1 / (1 + np.exp(-2 * SIGNAL)))

    def model():
        likelihood(numpyro.sample("steepness", dist.LogNormal(0.0, 1.0)), answer)

    mcmc = MCMC(NUTS(model, **options), num_warmup=200, num_samples=300, progress_bar=False)
    mcmc.run(key if isinstance(key, jax.Array) else jax.random.PRNGKey(key))
    return bool((mcmc.get_samples()["steepness"] > WALL).any())


def three(failing=by_hand, cure=by_logits, **options):
    return (
        lambda: passed(failing, **options),
        True,
        lambda: passed(cure, **options),
    )


vary("as on the page", "silent", "holds")(lambda: three())
vary("other answers, another key", "silent", "holds")(lambda: three(number=3, key=5))
vary("log1p in the formula", "silent", "holds")(lambda: three(by_log1p))
vary("the cure is probs=", "silent", "holds")(lambda: three(cure=by_probs))
vary("the cure is log_sigmoid", "silent", "holds")(lambda: three(cure=by_log_sigmoid))
vary("looks right: shorter steps", "silent", "falls")(
    lambda: three(cure=by_hand, target_accept_prob=0.99)
)
vary("the cure in a plate, by BernoulliLogits", "silent", "holds")(lambda: three(cure=in_a_plate))
vary("the cure is a factor of a Binomial", "silent", "holds")(lambda: three(cure=as_factor))
vary("the cure in a loop of its own", "silent", "holds")(lambda: three(cure=in_a_loop))
vary("the cure in a class, a typed key", "silent", "holds")(
    lambda: three(cure=Logits(), key=jax.random.key(1))
)
vary("clip the probability: passes the wall", "silent", "holds")(lambda: three(cure=clipped))
