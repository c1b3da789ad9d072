"""Variations of *Two draws from one key go together*: moments that are known by formula."""

import jax
import jax.numpy as jnp
from jax import lax, random

from evidence.variation import vary

N = 20_000
KEY = random.PRNGKey(0)


def near(found, expected, within=0.1):
    """Tell whether a moment is as it should be, to a tenth."""
    return jnp.abs(found - expected) < within


def two(one, other, apart=True, key=KEY):
    first, second = random.split(key) if apart else (key, key)
    return one(first, (N,)), other(second, (N,))


def correlation(pair):
    return jnp.corrcoef(*pair)[0, 1]


def three(moment, expected, one=random.normal, other=random.normal, **options):
    return lambda: (
        lambda: near(moment(two(one, other, False, **options)), expected),
        True,
        lambda: near(moment(two(one, other, True, **options)), expected),
    )


vary("the slope of a line", "silent", "holds")(
    three(lambda p: (p[0] * (2 * p[0] + p[1])).mean() / (p[0] ** 2).mean(), 2.0)
)
vary("the variance of a sum", "silent", "holds")(three(lambda p: (p[0] + p[1]).var(), 2.0))
vary("another seed", "silent", "holds")(three(correlation, 0.0, key=random.PRNGKey(7)))
vary("normal and uniform", "silent", "holds")(three(correlation, 0.0, other=random.uniform))
vary("normal and exponential", "silent", "holds")(three(correlation, 0.0, other=random.exponential))
vary("gumbel and logistic", "silent", "holds")(
    three(correlation, 0.0, random.gumbel, random.logistic)
)
vary("a fair coin for each of two players", "silent", "holds")(
    three(
        lambda p: (p[0] == p[1]).mean(),
        0.5,
        lambda key, shape: random.bernoulli(key, 0.5, shape),
        lambda key, shape: random.bernoulli(key, 0.5, shape),
    )
)
vary("under jit", "silent", "holds")(
    lambda: (
        lambda: near(jax.jit(lambda k: correlation(two(*[random.normal] * 2, False, k)))(KEY), 0),
        True,
        lambda: near(jax.jit(lambda k: correlation(two(*[random.normal] * 2, True, k)))(KEY), 0),
    )
)


def splits(apart):
    one, other = random.split(KEY) if apart else (KEY, KEY)
    return jnp.all(random.split(one, 8) == random.split(other, 8))


vary("one key split twice", "silent", "holds")(
    lambda: (lambda: splits(False), False, lambda: splits(True))
)


def folded_after_split(key):
    first, _ = random.split(key)
    return random.normal(first, (N,)), random.normal(random.fold_in(key, 0), (N,))


def scanned(apart):
    def step(key, _):
        if apart:
            key, now = random.split(key)
        else:
            now = key
        return key, random.normal(now)

    return near(lax.scan(step, KEY, length=2000)[1].std(), 1.0)


vary("a loop that does not split", "silent", "holds")(
    lambda: (lambda: scanned(False), True, lambda: scanned(True))
)
vary("fold_in with the step", "silent", "holds")(
    lambda: (
        lambda: near(jax.vmap(lambda i: random.normal(KEY))(jnp.arange(2000)).std(), 1.0),
        True,
        lambda: near(
            jax.vmap(lambda i: random.normal(random.fold_in(KEY, i)))(jnp.arange(2000)).std(), 1.0
        ),
    )
)
vary("a permutation and a draw", "right", "-")(
    lambda: (
        lambda: near(jnp.corrcoef(random.permutation(KEY, N), random.normal(KEY, (N,)))[0, 1], 0.0),
        True,
        None,
    )
)
vary("looks like a cure: another shape", "silent", "falls", then=("silent", "holds"))(
    lambda: (
        lambda: near(correlation(two(random.normal, random.normal, False)), 0.0),
        True,
        lambda: near(
            correlation((random.normal(KEY, (N,)), random.normal(KEY, (2 * N,))[:N])), 0.0
        ),
    )
)
vary("a fold into a key that was split", "silent", "holds", then=("right", "holds"))(
    lambda: (
        lambda: near(correlation(folded_after_split(KEY)), 0.0),
        True,
        lambda: near(correlation(two(random.normal, random.normal)), 0.0),
    )
)
