"""Variations of *With `jit_model_args`, a second run returns the first posterior*.

The means of the two runs, rounded to halves.
"""

import jax
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.infer import AIES, ESS, MCMC, NUTS, BarkerMH, DiscreteHMCGibbs

from evidence.variation import vary

jax.config.update("jax_disable_most_optimizations", True)
CHAINS = {"num_chains": 4, "chain_method": "vectorized"}
READINGS = np.array([2.0, 1.4, 2.3, 1.9, 2.4])


def tank(readings):
    level = numpyro.sample("level", dist.Normal(0.0, 10.0))
    numpyro.sample("readings", dist.Normal(level, 0.3), obs=readings)


def rate(readings):
    """A positive latent, so that the sampler works on its logarithm."""
    level = numpyro.sample("level", dist.Gamma(1.0, 0.01))
    numpyro.sample("readings", dist.Normal(level, 0.3), obs=readings)


def barker(model):
    return BarkerMH(model, step_size=0.3, adapt_step_size=False, adapt_mass_matrix=False)


def means(kernel, model=tank, second=READINGS + 5.0, number=1, clear=False, new=False, **options):
    """Run one `MCMC`, or a new one each time, on the readings and on the second data."""
    options = {"num_warmup": 300, "num_samples": 600, "progress_bar": False, **options}
    mcmc, found = MCMC(kernel(model), **options), []
    for readings in (READINGS, second):
        mcmc = MCMC(kernel(model), **options) if new else mcmc
        if clear:
            jax.clear_caches()
        mcmc.run(jax.random.PRNGKey(number), readings)
        found.append(np.round(2 * mcmc.get_samples()["level"].mean()) / 2)
    return found


def three(kernel=barker, cured=None, exact=(2.0, 7.0), **options):
    """Try the option, and the page's cure: without it."""
    cured = {"jit_model_args": False} if cured is None else cured
    given = {"jit_model_args": True, **options}
    return lambda: means(kernel, **given), exact, lambda: means(kernel, **{**given, **cured})


vary("BarkerMH", "silent", "holds")(lambda: three())
vary("another key, a positive latent", "silent", "holds")(lambda: three(model=rate, number=7))
vary("the second data set has another size", "right", "holds")(
    lambda: three(second=np.full(3, 7.0))
)
vary("AIES", "silent", "holds", then=("silent", "falls"))(lambda: three(AIES, **CHAINS))
vary("ESS", "silent", "holds")(lambda: three(ESS, **CHAINS))
vary("NUTS", "right", "holds")(lambda: three(NUTS))
vary("the cure is a new MCMC and a new kernel", "silent", "holds")(
    lambda: three(cured={"new": True})
)
vary("the cure is jax.clear_caches() before each run", "silent", "holds")(
    lambda: three(cured={"clear": True})
)


class _Tank:
    """A model as an object, with its data by keyword."""

    def __init__(self, deviation):
        self.deviation = deviation

    def __call__(self, *, readings):
        level = numpyro.sample("level", dist.Normal(loc=0.0, scale=10.0))
        with numpyro.plate("n", readings["y"].shape[0]):
            numpyro.sample("y", dist.Normal(level, self.deviation), obs=readings["y"])


@vary("a class, data in a dict by keyword, ESS", "silent", "holds")
def _():
    def found(**options):
        options = {"num_warmup": 300, "num_samples": 600, "progress_bar": False, **options}
        mcmc = MCMC(ESS(_Tank(0.3)), **CHAINS, **options)
        for y in (READINGS, READINGS + 5.0):
            mcmc.run(jax.random.key(0), readings={"y": y})
        return np.round(2 * mcmc.get_samples()["level"].mean()) / 2

    return lambda: found(jit_model_args=True), 7.0, lambda: found()


def _shifted(readings):
    shifted = numpyro.sample("shifted", dist.Bernoulli(0.5))
    level = numpyro.sample("level", dist.Normal(0.0, 10.0))
    numpyro.sample("readings", dist.Normal(level, 0.3 + 1e-3 * shifted), obs=readings)


vary("NUTS within DiscreteHMCGibbs", "right", "holds")(
    lambda: three(lambda model: DiscreteHMCGibbs(NUTS(model)), model=_shifted)
)
