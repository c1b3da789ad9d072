"""Variations of *A forgotten plate makes all groups share one value*: are two groups correlated?"""

import contextlib

import jax
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro import handlers
from numpyro.contrib.control_flow import scan
from numpyro.infer import MCMC, NUTS, Predictive

from evidence.variation import vary

jax.config.update("jax_disable_most_optimizations", True)
GROUPS = 8
PRIOR = dist.Normal(0.0, 3.0)


def model_of(bias, reading, inside=False, expanded=False):
    """Return a model whose bias is drawn above the plate, in it, or once for each by `expand`."""
    prior = bias.expand([GROUPS]) if expanded else bias

    def model(noise, readings=None):
        value = None if inside else numpyro.sample("bias", prior)
        with numpyro.plate("groups", GROUPS):
            if inside:
                value = numpyro.sample("bias", bias)
            numpyro.sample("reading", reading(value, noise), obs=readings)

    return model


def together(model):
    """Return whether the readings of two groups are correlated over many studies."""
    noise = np.full(GROUPS, 0.5)
    drawn = Predictive(model, num_samples=2000)(jax.random.PRNGKey(0), noise)["reading"]
    return bool(np.corrcoef(np.asarray(drawn)[:, :2].T)[0, 1] > 0.5)


def three(bias=PRIOR, reading=dist.Normal, **cure):
    cure = cure or {"inside": True}
    return (
        lambda: together(model_of(bias, reading)),
        False,
        lambda: together(model_of(bias, reading, **cure)),
    )


vary("a bias above the plate", "silent", "holds")(lambda: three())
vary("expand instead of a plate", "silent", "holds")(lambda: three(expanded=True))
vary("StudentT", "silent", "holds")(lambda: three(dist.StudentT(4.0, 0.0, 3.0)))
vary("a scale for all", "silent", "holds")(
    lambda: three(dist.HalfNormal(3.0), lambda value, noise: dist.Normal(10 * value, noise))
)
vary("looks right: the plate around the readings alone", "silent", "falls")(
    lambda: three(expanded=False)
)


@vary("fitted: whether the spread of the biases is known", "silent", "holds")
def fitted():
    noise = np.full(GROUPS, 0.5)
    readings = np.random.default_rng(1).normal(0.0, 3.0, size=GROUPS)

    def known(inside):
        def model():
            scale = numpyro.sample("scale", dist.HalfNormal(5.0))
            part = model_of(dist.Normal(0.0, scale), dist.Normal, inside)
            part(noise, readings)

        mcmc = MCMC(NUTS(model), num_warmup=300, num_samples=500, progress_bar=False)
        mcmc.run(jax.random.PRNGKey(0))
        return bool(mcmc.get_samples()["scale"].std() < 1.3)

    return lambda: known(False), True, lambda: known(True)


@vary("counts under vmap of seeds: their correlation", "silent", "holds")
def _():
    class Shops:
        def __init__(self, inside):
            self.inside = inside

        def __call__(self, n=2):
            mean = numpyro.plate("mean", n) if self.inside else contextlib.nullcontext()
            with mean:
                rate = numpyro.sample("rate", dist.Gamma(concentration=4.0, rate=1.0))
            with numpyro.plate("shops", n):
                return numpyro.sample("sold", dist.Poisson(rate=100 * rate))

    def correlated(model):
        keys = jax.random.split(jax.random.PRNGKey(0), 500)
        sold = jax.vmap(lambda key: handlers.seed(model, key)())(keys)
        return bool(abs(np.corrcoef(np.asarray(sold, float).T)[0, 1]) > 0.3)

    return lambda: correlated(Shops(False)), False, lambda: correlated(Shops(True))


@vary("the inner of two plates, in a scan over years", "silent", "holds")
def _():
    def model(inside):
        def year(carry, _):
            with numpyro.plate("schools", 3, dim=-2):
                if not inside:
                    effect = numpyro.sample("effect", dist.Normal(0.0, 5.0))
                with numpyro.plate("pupils", 4, dim=-1):
                    if inside:
                        effect = numpyro.sample("effect", dist.Normal(0.0, 5.0))
                    score = numpyro.sample("score", dist.Normal(effect, 1.0))
            return carry, score

        return scan(year, None, None, length=200)[1]

    spread = lambda inside: np.std(handlers.seed(model, 0)(inside), axis=-1).mean()
    wide = lambda inside: bool(spread(inside) > 3)
    return lambda: wide(False), True, lambda: wide(True)
