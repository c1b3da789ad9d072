"""Variations of *A guide first called under vmap or jit fails later*: is the next start finite?"""

import jax
import numpy as np
import numpyro
import numpyro.distributions as dist
from jax import lax, random
from numpyro.infer import SVI, Trace_ELBO, autoguide
from numpyro.optim import Adam

from tools.variations import vary

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
