"""Votes by district: the model was given a seed, to print its shapes, and handed on as it is."""

import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro import handlers


def votes(lean, turnout, ballots=None):
    base = numpyro.sample("base", dist.Normal(0.0, 0.5))
    swing = numpyro.sample("swing", dist.Normal(0.0, 0.3).expand([2]).to_event(1))
    spread = numpyro.sample("spread", dist.HalfNormal(0.2))
    with numpyro.plate("districts", lean.shape[0]):
        local = numpyro.sample("local", dist.Normal(0.0, 1.0))
        logit = base + lean * swing[0] + turnout * swing[1] + spread * local
        numpyro.sample("ballots", dist.Binomial(500, logits=logit), obs=ballots)


model = handlers.seed(votes, rng_seed=8)
draw = np.random.default_rng(13)
lean, turnout = jnp.asarray(draw.normal(size=18)), jnp.asarray(draw.normal(size=18))
arguments = lean, turnout
keywords = {"ballots": jnp.asarray(draw.binomial(500, 0.45, 18))}
