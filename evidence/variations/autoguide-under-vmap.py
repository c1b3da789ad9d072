"""Variations of *AutoGuide and deterministic sites under vmap*: how many starts differ.

The cure gives the guide a function of what it fits, and builds it inside.
"""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from jax import random
from numpyro.handlers import block, seed
from numpyro.infer import SVI, Trace_ELBO
from numpyro.infer.autoguide import AutoDelta, AutoMultivariateNormal, AutoNormal
from numpyro.optim import Adam

from evidence.variation import vary

jax.config.update("jax_disable_most_optimizations", True)
READINGS = np.float32([3.9, 4.6, 3.1, 5.0, 4.4, 3.0, 4.1, 3.9])


def parts(named=True, prior=None):
    """Return the whole model, and what of it is fitted."""

    def fitted(y):
        amplitude = numpyro.sample("amplitude", prior() if prior else dist.Normal(0.0, 2.0))
        power = amplitude**2
        power = numpyro.deterministic("power", power) if named else power
        with numpyro.plate("readings", len(y)):
            numpyro.sample("y", dist.Normal(power, 1.0), obs=y)
        return power

    def model(y):
        numpyro.sample("forecast", dist.Normal(fitted(y), 1.0))

    return model, fitted


def starts(init, lanes, number, single=False):
    """Count the different starts among the lanes of `init`."""
    keys = random.split(random.PRNGKey(number), lanes)
    params = init(keys[0]) if single else jax.vmap(init)(keys)
    found = next(value for name, value in params.items() if name.endswith("auto_loc"))
    return len(np.unique(found))


def three(cured=None, lanes=4, number=1, guide=AutoDelta, jit=False, again=False, **options):
    """`cured` makes the start of one lane of model, fitted part and key; the cure by default."""
    model, fitted = parts(**options)
    wrap = jax.jit if jit else lambda init: init

    def start(svi, key):
        return svi.get_params(svi.init(key, READINGS))

    def svi_of(guided):
        return SVI(model, guide(guided), Adam(0.05), Trace_ELBO())

    def seeded(key):
        return block(seed(model, rng_seed=key), hide=["forecast"])

    def fails():
        svi = svi_of(seeded(0))
        return starts(wrap(lambda key: start(svi, key)), lanes, number)

    def cures():
        make = (cured or (lambda *_: lambda key: fitted))(model, fitted, seeded)
        svi = svi_of(fitted) if again else None
        init = wrap(lambda key: start(svi or svi_of(make(key)), key))
        if again:
            starts(init, lanes, number)
        return starts(init, lanes, number + again)

    return fails, lanes, cures


# In 2024 the handler is left with a tracer, which a second run of the model reads.
OLD = ("UnexpectedTracerError", "holds")
NEITHER = ("UnexpectedTracerError", "UnexpectedTracerError")
FALLS = ("UnexpectedTracerError", "falls")
NO_KEY = ("UnexpectedTracerError", "AssertionError")


def bounded():
    return dist.Uniform(jnp.array(-4.0), jnp.array(4.0))


def each_run(key_of):
    """Make the handler anew in each run of the model."""

    def made(model, fitted, seeded):
        again = lambda key: lambda y: seed(model, rng_seed=key_of(key))(y)
        return lambda key: block(again(key), hide=["forecast"])

    return made


def kept(model, fitted, seeded):
    handler = seeded(0)
    return lambda key: handler


def fixed_bounds():
    return dist.Uniform(-4.0, 4.0)


vary("a deterministic site, four lanes", "silent", "holds", then=OLD)(lambda: three())
vary("no deterministic site", "silent", "holds")(lambda: three(named=False))
vary("a bound that is an array", "silent", "holds", then=OLD)(
    lambda: three(named=False, prior=bounded)
)
vary("a bound that is a number", "silent", "holds")(lambda: three(named=False, prior=fixed_bounds))
vary("another seed, sixteen lanes", "silent", "holds", then=OLD)(lambda: three(None, 16, 7))
vary("one lane", "right", "holds", then=OLD)(lambda: three(lanes=1))
vary("jit around vmap's lane", "silent", "holds", then=OLD)(lambda: three(jit=True))
# A uniform start needs no draw of the model's own.
vary("AutoNormal", "right", "holds")(lambda: three(guide=AutoNormal))
vary("AutoMultivariateNormal", "right", "holds")(lambda: three(guide=AutoMultivariateNormal))
vary(
    "looks right: the site hidden, too", "silent", "falls", then=("UnexpectedTracerError", "falls")
)(lambda: three(lambda model, fitted, seeded: lambda key: block(seeded(0), hide=["power"])))
vary("looks right: seed inside, with a number", "silent", "falls", then=NEITHER)(
    lambda: three(lambda model, fitted, seeded: lambda key: seeded(0))
)
vary("looks right: guide inside, seed outside", "silent", "falls", then=NEITHER)(
    lambda: three(kept)
)
vary("looks right: no seed, guide outside", "silent", "UnexpectedTracerError", then=NEITHER)(
    lambda: three(again=True)
)
vary("looks right: no seed, the forecast hidden", "silent", "holds", then=NO_KEY)(
    lambda: three(lambda model, fitted, seeded: lambda key: block(model, hide=["forecast"]))
)
vary("looks right: a handler for each lane", "silent", "holds", then=NEITHER)(
    lambda: three(lambda model, fitted, seeded: seeded)
)
# The starts differ, and the tries of a lane do not: see `one-key-for-all-tries`.
vary("looks right: a handler for each run", "silent", "holds", then=OLD)(
    lambda: three(each_run(lambda key: key))
)
vary("looks right: the same, by prng_key()", "silent", "falls", then=FALLS)(
    lambda: three(each_run(lambda key: numpyro.prng_key()))
)


@vary("64 bits", "silent", "holds", then=OLD)
def _():
    jax.config.update("jax_enable_x64", True)  # until the end, so this row is the last
    return three()
