"""Variations of *Samples are lost when MCMC runs inside jit*: how many samples are there?"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from jax import lax, random
from numpyro.infer import HMC, MCMC, NUTS, BarkerMH

from evidence.variation import vary

jax.config.update("jax_disable_most_optimizations", True)
KEY, READINGS = random.PRNGKey(0), np.float32([1.2, 0.4, 2.1])


def model(readings):
    level = numpyro.sample("level", dist.Normal(0.0, 2.0))
    numpyro.sample("readings", dist.Normal(level, 1.0), obs=readings)


def make_mcmc(**options):
    kernel = BarkerMH(model, step_size=0.5, adapt_step_size=False)
    return MCMC(kernel, num_warmup=2, num_samples=20, progress_bar=False, **options)


def samples(mcmc):
    return mcmc.get_samples()["level"]


def jitted(run, key):
    return jax.jit(run)(key)


def lanes(run, key):
    return jax.vmap(run)(random.split(key, 3))


def mapped(run, key):
    return lax.map(run, random.split(key, 3))


def direct(run, key):
    return run(key)


def three(transform=jitted, read=samples, cured=None, number=20, **options):
    def kept():
        mcmc = make_mcmc(**options)
        transform(lambda key: mcmc.run(key, READINGS), KEY)
        return np.asarray(read(mcmc)).size

    def returned():
        def run(key):
            mcmc = make_mcmc(**options)
            mcmc.run(key, READINGS)
            return samples(mcmc)

        return np.asarray(transform(run, KEY)).size

    return kept, number, cured or returned


def outside_object():
    """The samples are returned, but the object is an old one, and read for its summary."""
    mcmc = make_mcmc()

    def run(key):
        mcmc.run(key, READINGS)
        return samples(mcmc)

    jax.jit(run)(KEY)
    return np.asarray(samples(mcmc)).size


def run_again():
    """After the jitted run, a run outside."""
    mcmc = make_mcmc()
    jax.jit(lambda key: mcmc.run(key, READINGS))(KEY)
    mcmc.run(KEY, READINGS)
    return np.asarray(samples(mcmc)).size


def last_state(mcmc):
    return mcmc.last_state.z["level"]


vary("jit", "UnexpectedTracerError", "holds")(lambda: three())
vary(
    "vmap over three keys",
    "UnexpectedTracerError",
    "holds",
    then=("TracerArrayConversionError", "holds"),
)(lambda: three(lanes, number=60))
vary("lax.map over three keys", "UnexpectedTracerError", "holds")(lambda: three(mapped, number=60))
vary("no jit", "right", "holds")(lambda: three(direct))
vary("the last state of the object", "TracerArrayConversionError")(
    lambda: (three(read=last_state)[0], 1, None)
)
vary("two chains, one after the other", "UnexpectedTracerError", "holds")(
    lambda: three(number=40, num_chains=2, chain_method="sequential")
)
vary(
    "looks right: returned, and read from the object",
    "UnexpectedTracerError",
    "TracerArrayConversionError",
)(lambda: three(cured=outside_object))
vary("the cure is a second run, outside", "UnexpectedTracerError", "holds")(
    lambda: three(cured=run_again)
)


@vary("a class with its sampler, a partial of jit", "UnexpectedTracerError", "holds")
def _():
    def model(readings):
        level = numpyro.sample("level", dist.Normal(0.0, 2.0))
        numpyro.sample("readings", dist.Normal(level, 1.0), obs=readings)

    class Fit:
        def __init__(self):
            self.mcmc = self.made()

        def made(self):
            return MCMC(NUTS(model), num_warmup=5, num_samples=5, progress_bar=False)

        @functools.partial(jax.jit, static_argnums=0)
        def run(self, readings):
            self.mcmc.run(random.key(0), readings)
            return self.mcmc.get_samples()

        @functools.partial(jax.jit, static_argnums=0)
        def returned(self, readings):
            mcmc = self.made()
            mcmc.run(random.key(0), readings)
            return mcmc.get_samples()

    def last(fit):
        fit.run(np.float32([1.0, 2.0]))
        return jnp.isfinite(fit.mcmc.last_state.z["level"])

    cured = lambda: jnp.isfinite(Fit().returned(np.float32([1.0, 2.0]))["level"][-1])
    return lambda: last(Fit()), True, cured


@vary("extra fields of lanes", "UnexpectedTracerError", "holds", then=("right", "holds"))
def _():
    def model(*, readings):
        level = numpyro.sample("level", dist.Normal(0.0, 2.0))
        numpyro.sample("readings", dist.Normal(level, 1.0), obs=readings)

    def made():
        return MCMC(HMC(model), num_warmup=5, num_samples=5, progress_bar=False)

    kept, lanes = made(), np.float32([[1.0, 2.0], [3.0, 4.0]])

    def fit(mcmc, readings):
        mcmc.run(random.key(0), readings=readings, extra_fields=("diverging",))
        return mcmc.get_extra_fields()["diverging"].sum()

    def outside():
        jax.vmap(lambda readings: fit(kept, readings))(lanes)
        return np.shape(kept.get_extra_fields()["diverging"].sum() + np.zeros(2))

    return outside, [2], lambda: jax.vmap(lambda readings: fit(made(), readings))(lanes).shape
