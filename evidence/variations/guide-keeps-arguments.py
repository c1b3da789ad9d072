"""Variations of *A guide predicts at the old inputs*: heights at other days, for a rate of 2."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from jax import random
from numpyro import handlers
from numpyro.handlers import seed
from numpyro.infer import Predictive, autoguide
from numpyro.infer.autoguide import AutoLowRankMultivariateNormal, AutoNormal

from evidence.variation import vary

jax.config.update("jax_disable_most_optimizations", True)
HEIGHTS = np.float32([2.1, 3.9, 6.2])


def growth(days, observed=None):
    rate = numpyro.sample("rate", dist.Normal(0.0, 5.0))
    height = numpyro.deterministic("height", rate * days)
    numpyro.sample("observed", dist.Normal(height, 1.0), obs=observed)


def at_two(guide):
    """Return the parameters of a guide, set to a rate of 2 with hardly any spread."""
    trace = numpyro.handlers.trace(seed(guide, 0)).get_trace(np.float32([1, 2, 3]), HEIGHTS)
    values = {name: site["value"] for name, site in trace.items() if site["type"] == "param"}
    near = {"loc": 2.0, "scale": 1e-6, "scale_tril": 1e-6, "cov_factor": 0.0}
    return {
        name: jnp.full(jnp.shape(value), near[name.partition("auto_")[2]])
        for name, value in values.items()
    }


def three(kind=autoguide.AutoNormal, ask="sample_posterior", new=(10.0, 20.0, 30.0), cure=None):
    guide = kind(growth)
    params, new = at_two(guide), np.float32(new)
    days = (new,) if kind is autoguide.AutoDelta else ()  # it runs the model
    draw = guide.sample_posterior(random.key(1), params, *days)["rate"]
    arguments = {"sample_posterior": (random.key(1), params), "median": (params,)}
    arguments["quantiles"] = (params, 0.5)

    def got():
        days = (new,) if ask == "sample_posterior" else ()  # the others take none
        return getattr(guide, ask)(*arguments[ask], *days)["height"]

    def cured():
        predict = Predictive(growth, {"rate": draw[None]}, return_sites=["height"])
        return predict(random.key(2), new)["height"][0]

    return got, 2.0 * new, (lambda: cure(guide, params, new)) if cure else cured


def by_predictive(guide, params, new):
    predict = Predictive(growth, guide=guide, params=params, num_samples=1)
    return predict(random.key(2), new)["height"][0]


def called_again(guide, params, new):
    seed(guide, 0)(new)
    return guide.sample_posterior(random.key(1), params, new)["height"]


def another_guide(guide, params, new):
    second = type(guide)(growth)
    seed(second, 0)(new, 2.0 * new)
    return second.sample_posterior(random.key(1), params)["height"]


vary("AutoNormal", "silent", "holds", then=("TypeError", "holds"))(lambda: three())
vary("AutoMultivariateNormal", "silent", "holds", then=("TypeError", "holds"))(
    lambda: three(autoguide.AutoMultivariateNormal)
)
vary("AutoDiagonalNormal", "silent", "holds", then=("TypeError", "holds"))(
    lambda: three(autoguide.AutoDiagonalNormal)
)
vary("AutoDelta", "right", "holds")(lambda: three(autoguide.AutoDelta))
vary("median", "silent", "holds")(lambda: three(ask="median"))
vary("quantiles", "silent", "holds")(lambda: three(ask="quantiles"))
vary("two new days instead of three", "silent", "holds", then=("TypeError", "holds"))(
    lambda: three(new=(10.0, 20.0))
)
vary("the same days", "right", "holds", then=("TypeError", "holds"))(
    lambda: three(new=(1.0, 2.0, 3.0))
)
vary("the cure is Predictive with the guide", "silent", "holds", then=("TypeError", "holds"))(
    lambda: three(cure=by_predictive)
)
vary("the cure is a second guide", "silent", "holds", then=("TypeError", "holds"))(
    lambda: three(cure=another_guide)
)
vary("looks right: call the guide once more", "silent", "falls", then=("TypeError", "TypeError"))(
    lambda: three(cure=called_again)
)


@vary("a class, days by keyword", "silent", "holds", then=("TypeError", "holds"))
def _():
    class Growth:
        def __call__(self, *, days, seen=None):
            rate = numpyro.sample("rate", dist.Gamma(2.0, 1.0))
            numpyro.deterministic("height", rate * days)
            numpyro.sample("seen", dist.Normal(rate * days, 1.0), obs=seen)

    model = Growth()
    guide = AutoLowRankMultivariateNormal(model, rank=1)
    days, later = np.float32([1.0, 2.0]), np.float32([5.0, 6.0])
    params = handlers.trace(handlers.seed(guide, random.key(0)))
    params = params.get_trace(days=days, seen=days)
    params = {k: v["value"] for k, v in params.items() if v["type"] == "param"}
    draw = lambda **days: guide.sample_posterior(random.key(1), params, sample_shape=(3,), **days)
    rate = draw()["rate"]
    predict = Predictive(model, {"rate": rate}, return_sites=["height"])
    cured = lambda: predict(random.key(2), days=later)["height"]
    return lambda: draw(days=later)["height"], rate[:, None] * later, cured


def _number_for_each_day(names):
    def model(days):
        rate = numpyro.sample("rate", dist.Normal(2.0, 0.01))
        with numpyro.plate("days", len(days)):
            own = numpyro.sample("own", dist.Normal(0.0, 0.01))
        numpyro.deterministic("height", (rate + own) * days)

    guide = AutoNormal(model)
    days, later = np.float32([1, 2, 3]), np.float32([10, 20, 30, 40])
    seed(guide, rng_seed=0)(days)
    params = {"rate_auto_loc": 2.0, "rate_auto_scale": 0.01}
    params |= {"own_auto_loc": np.zeros(3), "own_auto_scale": 0.01 * np.ones(3)}
    draw = lambda *days: guide.sample_posterior(random.key(1), params, *days)

    def cured():
        drawn = {name: draw()[name][None] for name in names}
        found = Predictive(model, drawn, return_sites=["height"])(random.key(2), later)
        return (found["height"][0] / later).round(1)

    return lambda: draw(later)["height"].round(1), 2 * np.ones(4), cured


vary("a number for each day, taken over", "silent", "TypeError", then=("TypeError", "TypeError"))(
    lambda: _number_for_each_day(["rate", "own"])
)
vary("a number for each day, drawn anew", "silent", "holds", then=("TypeError", "holds"))(
    lambda: _number_for_each_day(["rate"])
)
