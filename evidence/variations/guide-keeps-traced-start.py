"""Variations of *A guide first called under vmap or jit fails later*: is the next start finite?"""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from jax import lax, random
from numpyro import handlers
from numpyro.infer import SVI, Trace_ELBO, autoguide
from numpyro.infer.autoguide import AutoDelta, AutoNormal
from numpyro.optim import Adam

from evidence.variation import vary

jax.config.update("jax_disable_most_optimizations", True)
READINGS, KEY = np.float32([11.0, 4.0, 21.0]), random.PRNGKey(0)


def tank(readings):
    level = numpyro.sample("level", dist.Normal(0.0, 2.0))
    numpyro.sample("readings", dist.Normal(9.81 * level, 9.81), obs=readings)


def plain(readings):
    """A model that does not compute with its site."""
    numpyro.sample("level", dist.Normal(0.0, 2.0))


def lanes(init):
    jax.vmap(init, in_axes=(0, None))(random.split(KEY, 4), READINGS)


def one_lane(init):
    jax.vmap(init, in_axes=(0, None))(KEY[None], READINGS)


def jitted(init):
    jax.jit(init)(KEY, READINGS)


def shapes(init):
    jax.eval_shape(init, KEY, READINGS)


def scanned(init):
    lax.scan(lambda c, key: (c, init(key, READINGS)[0][0]), 0.0, random.split(KEY, 2))


def nothing(init):
    init(KEY, READINGS)


def three(transform, model=tank, guide=autoguide.AutoDelta, cure="new"):
    make = lambda: SVI(model, guide(model), Adam(0.1), Trace_ELBO())

    def after(cure):
        svi = make()
        if cure == "before":
            svi.init(KEY, READINGS)
        transform(lambda *args: (make() if cure == "new" else svi).init(*args))
        if cure == "clear":
            jax.clear_caches()
        svi = SVI(model, svi.guide, Adam(0.1), Trace_ELBO()) if cure == "svi" else svi
        params = svi.get_params(svi.init(random.PRNGKey(1), READINGS))
        return all(np.isfinite(np.asarray(value)).all() for value in params.values())

    return lambda: after(None), True, lambda: after(cure)


vary("vmap", "UnexpectedTracerError", "holds", then=("TracerArrayConversionError", "holds"))(
    lambda: three(lanes)
)
vary(
    "vmap over one lane",
    "UnexpectedTracerError",
    "holds",
    then=("TracerArrayConversionError", "holds"),
)(lambda: three(one_lane))
vary("jit", "UnexpectedTracerError", "holds")(lambda: three(jitted))
vary("eval_shape", "UnexpectedTracerError", "holds")(lambda: three(shapes))
vary("scan", "UnexpectedTracerError", "holds")(lambda: three(scanned))
vary("no transform", "right", "holds")(lambda: three(nothing))
vary("AutoNormal", "UnexpectedTracerError", "holds")(
    lambda: three(jitted, guide=autoguide.AutoNormal)
)
vary("AutoMultivariateNormal", "UnexpectedTracerError", "holds")(
    lambda: three(jitted, guide=autoguide.AutoMultivariateNormal)
)
vary("a model that only draws", "TracerArrayConversionError", "holds")(lambda: three(shapes, plain))
vary("called once before, outside", "UnexpectedTracerError", "holds")(
    lambda: three(jitted, cure="before")
)
vary("looks right: a new SVI, the same guide", "UnexpectedTracerError", "UnexpectedTracerError")(
    lambda: three(jitted, cure="svi")
)
vary("looks right: jax.clear_caches()", "UnexpectedTracerError", "UnexpectedTracerError")(
    lambda: three(jitted, cure="clear")
)


@vary("a class that keeps the guide, lax.map", "UnexpectedTracerError", "holds")
def _():
    def model(reading):
        level = numpyro.sample("level", dist.Normal(0.0, 2.0))
        numpyro.sample("reading", dist.Normal(level, 1.0), obs=reading)

    class Fitter:
        def __init__(self):
            self.svi = SVI(model, AutoDelta(model), Adam(0.1), Trace_ELBO())

        def start(self, key):
            return self.svi.get_params(self.svi.init(key, 2.0))["level_auto_loc"]

    def both(fitter):
        lax.map(lambda key: fitter().start(key), random.split(random.key(0), 2))
        return jnp.isfinite(fitter().start(random.key(1)))

    kept = Fitter()
    return lambda: both(lambda: kept), True, lambda: both(Fitter)


@vary("fitted in a jit, then outside, for draws", "UnexpectedTracerError", "holds")
def _():
    def model(reading):
        rate = numpyro.sample("rate", dist.Gamma(2.0, 1.0))
        numpyro.sample("reading", dist.Poisson(5.0 * rate), obs=reading)

    def fit(guide, key):
        svi = SVI(model, guide, Adam(0.01), Trace_ELBO())
        return svi.run(key, 50, 7, progress_bar=False).params

    def shape(guide, within):
        jax.jit(lambda key: fit(within(), key))(random.key(0))
        params = fit(guide, random.key(1))
        return guide.sample_posterior(random.key(2), params, sample_shape=(3,))["rate"].shape

    def cured():
        outside = AutoNormal(model)
        handlers.seed(outside, 0)(7)
        return shape(outside, lambda: AutoNormal(model))

    guide = AutoNormal(model)
    return lambda: shape(guide, lambda: guide), [3], cured
