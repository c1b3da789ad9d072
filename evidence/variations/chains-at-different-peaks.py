"""Variations of *Chains sit at different peaks*: posterior means, against those of the groups."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from jax.scipy.special import logsumexp
from numpyro.infer import MCMC, NUTS, init_to_median, init_to_value

from evidence.variation import vary

jax.config.update("jax_disable_most_optimizations", True)
DRAW = np.random.default_rng(0)
LOW, HIGH = DRAW.normal(-3.0, 1.0, 40), DRAW.normal(2.0, 1.0, 40)
READINGS = np.concatenate([LOW, HIGH])
FEW = np.float32([-1.0, -0.3, 0.4, 1.2])
PRIOR = dist.Normal(0, 5).expand([2]).to_event(1)


def mixture(readings, prior=PRIOR, scale=1.0):
    location = numpyro.sample("location", prior)
    parts = jnp.stack([dist.Normal(location[i], scale).log_prob(readings) for i in (0, 1)])
    numpyro.factor("readings", logsumexp(parts, 0).sum())
    return location


def scaled(readings):
    scale = numpyro.sample("scale", dist.LogNormal(0.0, 0.5).expand([2]).to_event(1))
    location = numpyro.sample("location", PRIOR)
    parts = jnp.stack([dist.Normal(location[i], scale[i]).log_prob(readings) for i in (0, 1)])
    numpyro.factor("readings", logsumexp(parts, 0).sum())


def chains(model=mixture, data=READINGS, site="location", seed=0, number=4, warmup=100, **options):
    kernel = NUTS(model, max_tree_depth=4, **options)
    mcmc = MCMC(
        kernel, num_warmup=warmup, num_samples=60, num_chains=number, chain_method="vectorized",
        progress_bar=False,
    )  # fmt: skip
    mcmc.run(jax.random.PRNGKey(seed), data)
    return np.asarray(mcmc.get_samples(group_by_chain=True)[site])


def near(draws, expected):
    """Tell whether the mean over all chains is as expected, to a third."""
    return np.allclose(draws.mean((0, 1)), expected, atol=0.35)


MEANS = LOW.mean(), HIGH.mean()


def three(expected=MEANS, cure=lambda **options: np.sort(chains(**options), -1), **options):
    return lambda: (
        lambda: near(chains(**options), expected),
        True,
        lambda: near(cure(**options), expected),
    )


def in_order(readings):
    order = dist.constraints.ordered_vector
    location = mixture(readings, dist.ImproperUniform(order, (), (2,)))
    numpyro.factor("prior", dist.Normal(0, 5).log_prob(location).sum())


def by_transform(readings):
    mixture(readings, dist.TransformedDistribution(PRIOR, dist.transforms.OrderedTransform()))


def ordered(**options):
    return chains(in_order)


vary("four chains; a sort of the draws", "silent", "holds")(three())
vary("another seed", "silent", "holds")(three(seed=3))
vary("an ordered prior", "silent", "holds")(three(cure=ordered))
vary("four readings: an order by OrderedTransform, and as on the page", "silent", "holds")(
    lambda: (
        lambda: chains(by_transform, FEW)[..., 1].mean() < 3,
        True,
        lambda: chains(in_order, FEW)[..., 1].mean() < 3,
    )
)
vary("with scales", "silent", "holds")(three(model=scaled))
vary("more warm-up does not help", "silent", "falls")(
    three(cure=lambda **options: chains(warmup=400))
)
vary("looks like a cure: a higher target", "silent", "falls")(
    three(cure=lambda **options: chains(target_accept_prob=0.95))
)
vary("all chains from one start", "silent", "holds")(
    three(
        cure=lambda **options: chains(
            init_strategy=init_to_value(values={"location": jnp.array([-1.0, 1.0])})
        )
    )
)


def sign(data):
    """A model in which only the square of the parameter is seen."""
    root = numpyro.sample("root", dist.Normal(1.0, 3.0))
    numpyro.sample("square", dist.Normal(root**2, 0.5), obs=data)


vary("a parameter that is seen by its square", "silent", "holds")(
    lambda: (
        lambda: np.ptp(chains(sign, np.full(20, 4.0), "root").mean(1)) < 0.5,
        True,
        lambda: np.ptp(np.abs(chains(sign, np.full(20, 4.0), "root")).mean(1)) < 0.5,
    )
)


def wave(data):
    """A frequency far from one, whose likelihood has many peaks."""
    frequency = numpyro.sample("frequency", dist.LogNormal(2.0, 1.0))
    numpyro.sample("height", dist.Normal(jnp.sin(frequency * data[0]), 0.3), obs=data[1])


TIMES = np.linspace(0.0, 3.0, 60)
WAVE = np.stack([TIMES, np.sin(9.0 * TIMES) + DRAW.normal(0.0, 0.3, 60)])
vary("a frequency; a start near the data", "silent", "holds")(
    lambda: (
        lambda: near(chains(wave, WAVE, "frequency")[..., None], 9.0),
        True,
        lambda: near(
            chains(
                wave,
                WAVE,
                "frequency",
                init_strategy=init_to_value(values={"frequency": 8.8}),
            )[..., None],
            9.0,
        ),
    )
)
vary("a frequency; the median of the prior", "silent", "falls")(
    lambda: (
        lambda: near(chains(wave, WAVE, "frequency")[..., None], 9.0),
        True,
        lambda: near(chains(wave, WAVE, "frequency", init_strategy=init_to_median)[..., None], 9.0),
    )
)
vary("one peak", "right", "-")(
    lambda: (
        lambda: near(
            chains(
                lambda readings: numpyro.sample(
                    "reading",
                    dist.Normal(numpyro.sample("location", dist.Normal(0, 5)), 1.0),
                    obs=readings,
                ),
                LOW,
            )[..., None],
            LOW.mean(),
        ),
        True,
        None,
    )
)
