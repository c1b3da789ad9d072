"""Variations of *A change point stays where it began*: the fitted place."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.infer import MCMC, NUTS

from tools.variations import vary

DAYS = np.arange(40)
SERIES = np.where(DAYS < 25, 1.0, 4.0) + np.random.default_rng(0).normal(size=40)
SPLITS = [((SERIES - np.where(day > DAYS, 1.0, 4.0)) ** 2).sum() for day in range(1, 40)]
BEST = 1.0 + np.argmin(SPLITS)


def squares(level):
    return ((SERIES - level) ** 2).mean()


def compared(day):
    return squares(jnp.where(day > DAYS, 1.0, 4.0))


def rounded(day):
    return squares(jnp.where(jnp.round(day) > DAYS, 1.0, 4.0))


def as_integer(day):
    return squares(jnp.where(day.astype(int) > DAYS, 1.0, 4.0))


def looked_up(day):
    return squares(jnp.array([1.0, 4.0])[jnp.clip(jnp.floor(DAYS - day), -1, 0).astype(int) + 1])


def smooth(width):
    return lambda day: squares(1.0 + 3.0 * jax.nn.sigmoid((DAYS - day + 0.5) / width))


def descend(loss, start=10.0, size=5.0):
    day = jnp.float32(start)
    step = jax.jit(lambda day: day - size * jax.grad(loss)(day))
    for _ in range(300):
        day = step(day)
    return jnp.ceil(day - 0.5) if loss not in HARD else day


def summed():
    days = np.arange(1, 40)
    each = jax.vmap(lambda day: -0.5 * 40 * compared(day))(days)
    return float(days[jnp.argmax(jax.nn.softmax(each))])


HARD = [compared, rounded, as_integer, looked_up]
NAMES = ["a comparison", "round", "astype(int)", "an index by floor"]
for name, loss in zip(NAMES, HARD, strict=True):
    vary(name, "silent", "holds")(lambda loss=loss: (descend(loss), BEST, summed))

vary("another start, a larger step", "silent", "holds")(
    lambda: (descend(compared, 31.0, 500.0), BEST, summed)
)
vary("the cure is a change that takes two days", "silent", "holds")(
    lambda: (descend(compared), BEST, lambda: descend(smooth(2.0)))
)
vary("looks right: a change that takes a hundredth of a day", "silent", "falls")(
    lambda: (descend(compared), BEST, lambda: descend(smooth(0.01)))
)


@vary("NUTS looks at the density, too", "right", "holds")
def _():
    def model():
        day = numpyro.sample("day", dist.Uniform(0.0, 40.0))
        numpyro.factor("series", -0.5 * 40 * compared(day))

    def median():
        mcmc = MCMC(NUTS(model), num_warmup=500, num_samples=2000, progress_bar=False)
        mcmc.run(jax.random.PRNGKey(0))
        return np.ceil(np.median(mcmc.get_samples()["day"]))

    return median, BEST, summed
