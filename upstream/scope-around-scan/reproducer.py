"""A condition on a site inside of `scan` and `cond`. Exits 1 while a scope around them hides it."""

import sys

import jax.numpy as jnp

import numpyro
from numpyro import handlers
from numpyro.contrib.control_flow import cond, scan
import numpyro.distributions as dist


def step(carry, _):
    return carry, numpyro.sample("x", dist.Normal(0.0, 1.0))


def branch(_):
    return numpyro.sample("x", dist.Normal(0.0, 1.0))


def scanned():
    return scan(step, None, None, length=3)[1]


def chosen():
    return cond(True, branch, branch, None)


print("numpyro", numpyro.__version__)
good = []
for name, model, value in (
    ("scan", scanned, jnp.array([1.0, 2.0, 3.0])),
    ("cond", chosen, jnp.array(99.0)),
):
    given = handlers.condition(handlers.scope(model, prefix="s"), {"s/x": value})
    got = handlers.seed(given, 0)()
    print(f"{name}: given {value}, used {got}")
    good.append(jnp.array_equal(got, value))
sys.exit(int(not all(good)))
