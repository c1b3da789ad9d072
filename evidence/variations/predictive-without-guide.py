"""Variations of *Predictions after SVI are draws from the prior*: is the spread right?"""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.infer import SVI, Predictive, Trace_ELBO
from numpyro.infer.autoguide import (
    AutoDelta,
    AutoDiagonalNormal,
    AutoMultivariateNormal,
    AutoNormal,
)

from evidence.variation import vary

READINGS = 3.0 + np.random.default_rng(0).normal(size=50)
RIGHT = (1.0 + 1 / (50 + 1 / 100)) ** 0.5


def model(y=None):
    mean = numpyro.sample("mean", dist.Normal(0.0, 10.0))
    with numpyro.plate("readings", 50):
        numpyro.sample("y", dist.Normal(mean, 1.0), obs=y)


def by_hand(y=None):
    loc = numpyro.param("loc", 0.0)
    scale = numpyro.param("scale", 1.0, constraint=dist.constraints.positive)
    numpyro.sample("mean", dist.Normal(loc, scale))


def with_noise(y=None):
    noise = numpyro.param("noise", 5.0, constraint=dist.constraints.positive)
    mean = numpyro.sample("mean", dist.Normal(0.0, 10.0))
    with numpyro.plate("readings", 50):
        numpyro.sample("y", dist.Normal(mean, noise), obs=y)


def point(y=None):
    mean = numpyro.param("mean", 0.0)
    with numpyro.plate("readings", 50):
        numpyro.sample("y", dist.Normal(mean, 1.0), obs=y)


def nothing(y=None):
    return None


def fitted(guide, model=model):
    svi = SVI(model, guide, numpyro.optim.Adam(0.05), Trace_ELBO())
    return svi.run(jax.random.key(0), 1000, READINGS, progress_bar=False).params


def near(predictions):
    return abs(predictions["y"][:, 0].std() / RIGHT - 1) < 0.2


def hit(guide, model=model, cure=None, **options):
    params = fitted(guide, model)
    predict = Predictive(model, params=params, num_samples=1000, **options)
    key = jax.random.PRNGKey(1)  # in 2024 the parallel one takes no new key
    whole = Predictive(model, guide=guide, params=params, num_samples=1000)
    cure = cure or (lambda guide, params: near(whole(key)))
    return near(predict(key)), True, lambda: cure(guide, params)


def by_draws(guide, params):
    draws = guide.sample_posterior(jax.random.key(1), params, sample_shape=(1000,))
    return near(Predictive(model, draws)(jax.random.key(2)))


def by_quick_draws(guide, params):
    draws = Predictive(guide, params=params, num_samples=1000)(jax.random.key(1))
    return near(Predictive(model, draws)(jax.random.key(2)))


def by_noisy_draws(options):
    def cure(guide, params):
        draws = guide.sample_posterior(jax.random.key(1), params, sample_shape=(1000,))
        return near(Predictive(with_noise, draws, **options(params))(jax.random.key(2)))

    return hit(AutoNormal(with_noise), with_noise, cure)


def as_samples(guide, params):
    return near(Predictive(model, params, num_samples=1000)(jax.random.key(1)))


def jitted(guide, params):
    predict = Predictive(model, guide=guide, params=params, num_samples=1000)
    return near(jax.jit(lambda key: predict(key))(jax.random.key(1)))


GUIDES = [AutoDelta, AutoDiagonalNormal, AutoMultivariateNormal]
for kind in GUIDES:
    vary(kind.__name__, "silent", "holds")(lambda kind=kind: hit(kind(model)))
vary("a guide of one's own", "silent", "holds")(lambda: hit(by_hand))
vary("parallel", "silent", "holds")(lambda: hit(AutoNormal(model), parallel=True))
vary("a model that has the parameter itself", "right", "holds")(lambda: hit(nothing, point))
vary("the cure under jit", "silent", "holds")(lambda: hit(AutoNormal(model), cure=jitted))
vary("the cure is draws of the guide", "silent", "holds")(
    lambda: hit(AutoNormal(model), cure=by_draws)
)
vary("the cure is Predictive twice", "silent", "holds")(
    lambda: hit(AutoNormal(model), cure=by_quick_draws)
)
vary("the model has a parameter too", "silent", "holds")(
    lambda: hit(AutoNormal(with_noise), with_noise)
)
vary("the same, and draws of the guide, without params", "silent", "falls")(
    lambda: by_noisy_draws(lambda params: {})
)
vary("the same, and draws of the guide, with params", "silent", "holds")(
    lambda: by_noisy_draws(lambda params: {"params": params})
)
vary("the parameters as posterior samples", "silent", "IndexError")(
    lambda: hit(AutoNormal(model), cure=as_samples)
)


@vary("the median of the guide", "silent", "holds")
def by_median():
    guide = AutoNormal(model)

    def cure(guide, params):
        median = {name: jnp.full(1000, value) for name, value in guide.median(params).items()}
        return near(Predictive(model, median)(jax.random.key(2)))

    return hit(guide, cure=cure)
