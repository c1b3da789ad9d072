"""One guide, made around a seeded model, is started under `vmap` for three problems.

The `seed` handler keeps its key, which under `vmap` is a tracer. The model needs a `deterministic`
site for that to show. `ok`: every problem's point estimate is the maximum a posteriori that the
algebra gives, half the observation.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpyro
import numpyro.distributions as dist
from jax import lax
from numpyro.handlers import block, seed
from numpyro.infer import SVI, Trace_ELBO
from numpyro.infer.autoguide import AutoDelta

EXPECT = {"raises": "UnexpectedTracerError", "match": "unexpected tracer"}
TOLERANCE = 0.005

OBSERVED = jnp.array([1.0, -2.0, 3.0])
expected = OBSERVED / 2


def model(y: jax.Array) -> None:
    a = numpyro.sample("a", dist.Normal(0.0, 1.0))
    b = numpyro.sample("b", dist.Normal(0.0, 1.0))
    numpyro.deterministic("c", a + b)
    numpyro.sample("y", dist.Normal(a, 1.0), obs=y)


def seeded() -> Callable:
    """The part of the model that the guide is about; `b` stays random, with a fixed seed."""
    return block(seed(model, rng_seed=0), hide=["b"])


def estimates(guide: AutoDelta) -> jax.Array:
    """Point estimates of `a`, one for each observation, by SVI under `vmap`."""
    svi = SVI(model, guide, numpyro.optim.Adam(0.05), Trace_ELBO())
    states = jax.vmap(svi.init)(jax.random.split(jax.random.PRNGKey(1), 3), OBSERVED)
    update = jax.vmap(svi.update)
    states, _ = lax.scan(lambda states, _: update(states, OBSERVED), states, None, length=600)
    return svi.get_params(states)["a_auto_loc"]


def program() -> jax.Array:
    return estimates(AutoDelta(seeded()))


def cure() -> jax.Array:
    """Build the handler inside a function: a fresh one for every call."""
    return estimates(AutoDelta(lambda y: seeded()(y)))
