"""Variations of *MCMC with few parameters fills the memory*: numbers that the draws hold."""

import gc

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro import handlers
from numpyro.infer import HMC, MCMC, NUTS, SVI, Predictive, Trace_ELBO
from numpyro.infer.autoguide import AutoNormal

from evidence.variation import vary

X = np.linspace(0, 1, 200, dtype=np.float32)
Y = 2 * X
N = 20


def model(x, y=None):
    slope = numpyro.sample("slope", dist.Normal(0, 5))
    line = numpyro.deterministic("line", slope * x)
    numpyro.sample("y", dist.Normal(line, 0.5), obs=y)


def two(x, y=None):
    slope = numpyro.sample("slope", dist.Normal(0, 5))
    line = numpyro.deterministic("line", slope * x)
    numpyro.deterministic("square", line**2)
    with numpyro.plate("rows", len(x)):
        numpyro.sample("y", dist.Normal(line, 0.5), obs=y)


def bare(x, y=None):
    numpyro.sample("y", dist.Normal(numpyro.sample("slope", dist.Normal(0, 5)) * x, 0.5), obs=y)


def mcmc(model, kernel=HMC, seed=0, **options):
    options = {"num_warmup": 5, "num_samples": N, "progress_bar": False, **options}
    run = MCMC(kernel(model), **options)
    run.run(jax.random.PRNGKey(seed), X, Y)
    return run


def kept(model, **options):
    return lambda: sum(site.size for site in mcmc(model, **options).get_samples().values())


def block(model, *names):
    return handlers.block(model, hide=[*names])


hidden = block(model, "line")
vary("as on the page", "silent", "holds")(lambda: (kept(model), N, kept(hidden)))
vary("NUTS", "silent", "holds")(lambda: (kept(model, kernel=NUTS), N, kept(hidden, kernel=NUTS)))
vary("another seed", "silent", "holds")(lambda: (kept(model, seed=4), N, kept(hidden, seed=4)))
vary("two sites and a plate", "silent", "holds")(
    lambda: (kept(two), N, kept(block(two, "line", "square")))
)
vary("looks right: one of two sites", "silent", "falls")(
    lambda: (kept(two), N, kept(block(two, "line")))
)
vary("two chains", "silent", "holds")(
    lambda: (
        kept(model, num_chains=2, chain_method="vectorized"), 2 * N,
        kept(hidden, num_chains=2, chain_method="vectorized"),
    )
)  # fmt: skip
vary("looks right: chains one after the other", "silent", "falls")(
    lambda: (
        kept(model, num_chains=2, chain_method="vectorized"), 2 * N,
        kept(model, num_chains=2, chain_method="sequential"),
    )
)  # fmt: skip
vary("no deterministic site", "silent", "holds")(lambda: (kept(model), N, kept(bare)))
vary("looks right: thinning", "silent", "falls")(lambda: (kept(model), N, kept(model, thinning=2)))
vary("hidden by a function", "silent", "holds")(
    lambda: (
        kept(model), N,
        kept(handlers.block(model, hide_fn=lambda site: site["type"] == "deterministic")),
    )
)  # fmt: skip


@vary("the same draws", "right", "holds")
def _():
    draws = mcmc(bare).get_samples()["slope"]
    return (
        lambda: mcmc(model).get_samples()["slope"],
        draws,
        lambda: mcmc(hidden).get_samples()["slope"],
    )


@vary("the site, later", "right", "holds")
def _():
    draws = mcmc(hidden).get_samples()
    later = lambda: Predictive(model, draws, return_sites=["line"])(jax.random.PRNGKey(1), X)[
        "line"
    ]
    return lambda: mcmc(model).get_samples()["line"], draws["slope"][:, None] * X, later


@vary("draws of a guide", "right", "-")
def _():
    svi = SVI(model, AutoNormal(model), numpyro.optim.Adam(0.1), Trace_ELBO())
    state = svi.run(jax.random.PRNGKey(0), 3, X, Y, progress_bar=False)
    draws = svi.guide.sample_posterior(jax.random.PRNGKey(1), state.params, sample_shape=(N,))
    return jnp.size(draws["slope"]), N, None


@vary("bytes on the device after a transfer to the host", "silent", "holds")
def _():
    def large():
        gc.collect()
        return sum(array.size == N * len(X) for array in jax.live_arrays())

    def on_device(transfer):
        def count():
            before, run = large(), mcmc(model)
            if transfer:
                run.transfer_states_to_host()
            return large() - before

        return count

    return on_device(False), 0, on_device(True)


@vary("a prediction in parts: how many rows have noise of their own", "silent", "holds")
def _():
    def rows(key_of):
        parts = np.array_split(np.zeros(N + 1, np.float32), 4)
        found = [
            Predictive(bare, {"slope": part})(key_of(i), X)["y"] for i, part in enumerate(parts)
        ]
        return len(np.unique(np.concatenate(found), axis=0))

    key = jax.random.PRNGKey(1)
    return lambda: rows(lambda i: key), N + 1, lambda: rows(lambda i: jax.random.fold_in(key, i))
