"""Variations of *A Levy site inside scan has no support*: log densities."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro import handlers
from numpyro.contrib.control_flow import scan
from numpyro.infer import SVI, Trace_ELBO
from numpyro.infer.autoguide import AutoNormal
from numpyro.infer.util import initialize_model, potential_energy
from scipy import stats

from evidence.variation import vary

if not hasattr(dist, "Levy"):
    sys.exit()  # in 2024 there was none

jax.config.update("jax_disable_most_optimizations", True)


class Levy(dist.Levy):
    pytree_data_fields = ("_support",)


class SupportProperty(dist.Levy):
    """Looks right: the support as a property, from the parameter."""

    support = property(lambda self: dist.constraints.greater_than(self.loc))


def inverse_gamma(loc, scale):
    return dist.InverseGamma(0.5, scale / 2)


def strict(loc, scale):
    return dist.Levy(loc, scale, validate_args=True)


def three(
    cured=Levy, days=3, loc=0.0, scale=2.0, number=0, observed=False, loop=True, got=dist.Levy
):
    jumps = loc + np.random.default_rng(number).uniform(0.5, 4.0, days)
    exact = stats.levy(loc, scale).logpdf(jumps).sum()

    def density(make):
        def step(position, jump):
            obs = jump if observed else None
            return position + numpyro.sample("jump", make(loc, scale), obs=obs), None

        def model():
            if loop:
                return scan(step, 0.0, jnp.asarray(jumps))
            with numpyro.plate("days", days):
                numpyro.sample("jump", make(loc, scale), obs=jumps if observed else None)

        values = np.log(jumps - loc)
        at = {} if observed else {"jump": jnp.asarray(values)}
        return -potential_energy(model, (), {}, at) - (0.0 if observed else values.sum())

    return lambda: density(got), exact, lambda: density(cured)


def starts(make):
    """Whether the search for a start ends, in a model without data."""

    def model():
        step = lambda c, _: (c, numpyro.sample("jump", make(0.0, 2.0)))
        scan(step, 0.0, None, length=3)

    info = initialize_model(jax.random.PRNGKey(0), model)
    return bool(np.isfinite(np.asarray(info.param_info.potential_energy)))


def copied(make):
    copy = jax.tree.map(lambda leaf: leaf, make(0.0, 2.0))
    return bool(copy.support(1.0))


def lanes(make):
    built = jax.vmap(lambda scale: make(0.0, scale))(jnp.ones(2))
    return bool(np.all(built.support(jnp.ones(2))))


def pair(run):
    return lambda: run(dist.Levy), True, lambda: run(Levy)


vary("the search for a start", "AttributeError", "holds")(lambda: pair(starts))
vary("three latent jumps", "right", "holds")(lambda: three())
vary("another seed, one jump", "right", "holds")(lambda: three(days=1, number=4))
vary("it starts at 1", "right", "holds")(lambda: three(loc=1.0))
vary("a copy", "TypeError", "holds")(lambda: pair(copied))
vary("built under vmap", "TypeError", "holds")(lambda: pair(lanes))
vary("observed", "right", "holds")(lambda: three(observed=True))
vary("a plate instead of scan", "right", "holds")(lambda: three(loop=False))
vary("the cure is an inverse gamma", "right", "holds")(lambda: three(inverse_gamma))
vary("the cure is a property", "right", "holds")(lambda: three(SupportProperty))
vary("looks right: validate_args=True", "right", "AssertionError")(lambda: three(strict))


def _birds(loc):
    class Levy(dist.Levy):
        pytree_data_fields = (*dist.Levy.pytree_data_fields, "_support")

    def flight(of):
        def model():
            def step(position, scale):
                with numpyro.plate("birds", 2):
                    jump = numpyro.sample("jump", of(loc, scale * jnp.ones(2)))
                return position + jump.sum(), None

            scan(step, 0.0, jnp.array([1.0, 2.0, 3.0]))

        return model

    jumps = jnp.array([[1.5, 2.0], [3.0, 1.2], [4.0, 2.0]])

    def density(of):
        model = initialize_model(jax.random.key(0), flight(of))
        return -model.potential_fn({"jump": jnp.log(jumps - 1.0)})

    scales = np.array([[1.0], [2.0], [3.0]])
    by_hand = stats.levy.logpdf(jumps, 1.0, scales).sum() + np.log(jumps - 1.0).sum()
    return lambda: density(dist.Levy), by_hand, lambda: density(Levy)


def _one_bird(make):
    jumps = np.array([[1.0], [4.0], [0.5]])

    def density(of):
        def step(position, _):
            with numpyro.plate("birds", 1):
                return position + numpyro.sample("jump", of(2.0 * jnp.ones(1))), None

        model = lambda: scan(step, jnp.zeros(1), None, length=3)
        return -potential_energy(model, (), {}, {"jump": jnp.log(jumps)})

    by_hand = stats.levy.logpdf(jumps, 0.0, 2.0).sum() + np.log(jumps).sum()
    got = lambda scale: dist.Levy(jnp.zeros(1), scale)
    return lambda: density(got), by_hand, lambda: density(make)


vary("a plate of one: an inverse gamma with its axis", "right", "falls")(
    lambda: _one_bird(lambda scale: dist.InverseGamma(0.5, scale / 2))
)
vary("a plate of one: an inverse gamma without its axis", "right", "holds")(
    lambda: _one_bird(lambda scale: dist.InverseGamma(0.5, scale[0] / 2))
)
vary("a plate of one: both parameters with its axis", "right", "holds")(
    lambda: _one_bird(lambda scale: Levy(jnp.zeros(1), scale))
)
vary("a plate inside, a scale for each bird", "AttributeError", "ValueError")(lambda: _birds(1.0))
vary("a plate inside, both with its axis", "AttributeError", "holds")(lambda: _birds(jnp.ones(2)))


@vary("jumps from 0 as an InverseGamma, in SVI", "AttributeError", "holds")
def _():
    def flight(of):
        def model():
            def step(position, _):
                jump = numpyro.sample("jump", of(jnp.array(2.0)))
                return position + jump, jump

            scan(step, 0.0, None, length=3)

        return model

    jumps = jnp.array([1.5, 3.0, 0.5])

    def density(of):
        guide = AutoNormal(flight(of))
        svi = SVI(flight(of), guide, numpyro.optim.Adam(0.01), Trace_ELBO())
        svi.init(jax.random.key(0))
        free = {"jump": jnp.log(jumps)}
        return -potential_energy(handlers.seed(flight(of), 0), (), {}, free)

    by_hand = stats.levy.logpdf(jumps, 0.0, 2.0).sum() + np.log(jumps).sum()
    return (
        lambda: density(lambda scale: dist.Levy(0.0, scale)),
        by_hand,
        lambda: density(lambda scale: dist.InverseGamma(0.5, scale / 2)),
    )
