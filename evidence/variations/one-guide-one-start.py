"""Variations of *All restarts of one guide begin at the same point*: how many starts differ."""

import jax
import jax.numpy as jnp
import numpyro
import numpyro.distributions as dist
from jax import random
from numpyro.infer import SVI, Trace_ELBO, autoguide, init_to_sample, init_to_value
from numpyro.optim import Adam

from evidence.variation import vary

jax.config.update("jax_disable_most_optimizations", True)


def power_of(power):
    amplitude = numpyro.sample("amplitude", dist.Normal(0.0, 2.0))
    numpyro.sample("power", dist.Normal(amplitude**2, 1.0), obs=power)


def rate_of(power):
    rate = numpyro.sample("amplitude", dist.Gamma(2.0, 1.0))
    numpyro.sample("power", dist.Poisson(rate), obs=power)


def three(kind=autoguide.AutoDelta, number=3, model=power_of, cure="guide", ask=None, **options):
    """`cure` says what is made anew for each start."""
    make = lambda: kind(model, **options)
    read = ask or (lambda params: next(v for k, v in params.items() if k.endswith("loc")))

    def start(svi, place):
        return float(read(svi.get_params(svi.init(random.key(place), 4.0))).squeeze())

    def different(anew):
        guide = make()
        svi = SVI(model, guide, Adam(0.1), Trace_ELBO())
        starts = set()
        for place in range(number):
            guide = make() if anew == "guide" else guide
            guide.prototype_trace = None if anew == "prototype" else guide.prototype_trace
            svi = SVI(model, guide, Adam(0.1), Trace_ELBO()) if anew else svi
            starts.add(start(svi, place))
        return len(starts)

    return lambda: different(""), number, lambda: different(cure)


vary("AutoDelta, three keys", "silent", "holds")(lambda: three())
vary("ten keys", "silent", "holds")(lambda: three(number=10))
vary("another model", "silent", "holds")(lambda: three(model=rate_of))
vary("AutoNormal", "silent", "holds")(lambda: three(autoguide.AutoNormal))
vary("AutoMultivariateNormal", "silent", "holds")(lambda: three(autoguide.AutoMultivariateNormal))
vary("AutoDiagonalNormal", "silent", "holds")(lambda: three(autoguide.AutoDiagonalNormal))
vary("start at a sample", "silent", "holds")(lambda: three(init_loc_fn=init_to_sample))
vary("looks right: a new SVI", "silent", "falls")(lambda: three(cure="svi"))
vary("the cure is to forget the prototype", "silent", "holds")(lambda: three(cure="prototype"))
vary("looks right: a fixed start, a new guide", "silent", "falls")(
    lambda: three(init_loc_fn=init_to_value(values={"amplitude": 1.0}))
)


def given(kind, value, constrain=lambda value: value, model=rate_of):
    """Give a start as `init_params`, and read where the guide begins: its median."""

    def median():
        guide = kind(model)
        svi = SVI(model, guide, Adam(0.1), Trace_ELBO())
        svi.init(random.key(0), 4.0)
        params = {"amplitude_auto_loc": constrain(value)}
        state = svi.init(random.key(1), 4.0, init_params=params)
        return guide.median(svi.get_params(state))["amplitude"]

    return lambda: (three(kind, model=model)[0], value, median)


vary("a start is given to AutoDelta", "silent", "holds")(given(autoguide.AutoDelta, 2.0))
vary("a start is given to AutoNormal, no bounds", "silent", "holds")(
    given(autoguide.AutoNormal, 2.0, model=power_of)
)
vary("looks right: to AutoNormal, a positive site", "silent", "falls")(
    given(autoguide.AutoNormal, 2.0)
)
vary("its logarithm to AutoNormal, a positive site", "silent", "holds")(
    given(autoguide.AutoNormal, 2.0, constrain=jnp.log)
)
