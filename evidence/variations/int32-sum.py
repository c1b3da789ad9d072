"""Variations of *A sum of integers passes two billion and becomes negative*: a mean age."""

import warnings

import jax
import jax.numpy as jnp
import numpy as np

from evidence.variation import vary

warnings.simplefilter("ignore")  # of int64 that becomes int32


def data(districts=80, number=0):
    draw = np.random.default_rng(number)
    return draw.integers(400_000, 1_600_000, districts), draw.integers(35, 46, districts)


def plain(people, age):
    return (people * age).sum() / people.sum()


def floats(people, age):
    return plain(people.astype(float), age)


def three(way=plain, cure=floats, **options):
    arrays = data(**options)
    ours = [jnp.asarray(array) for array in arrays]
    return lambda: way(*ours), lambda: plain(*arrays), lambda: cure(*ours)


def wide(people, age):
    return jnp.sum(people * age, dtype=jnp.int64) / people.sum()


def large(people, age):
    return (10_000 * people).astype(float) @ age / (10_000.0 * people.sum())


vary("eighty districts, as on the page", "silent", "holds")(lambda: three())
vary("another seed", "silent", "holds")(lambda: three(number=3))
vary("thirty districts: it fits", "right", "holds")(lambda: three(districts=30))
vary("under jit", "silent", "holds")(lambda: three(jax.jit(plain), jax.jit(floats)))
vary("an inner product", "silent", "holds")(lambda: three(lambda p, a: p @ a / p.sum()))
vary("the cure is jnp.average", "silent", "holds")(
    lambda: three(cure=lambda p, a: jnp.average(a, weights=p))
)
vary("the cure is sum(dtype=float)", "silent", "holds")(
    lambda: three(cure=lambda p, a: jnp.sum(p * a, dtype=float) / p.sum())
)
vary("looks right: sum(dtype=int64)", "silent", "falls")(lambda: three(cure=wide))
vary("looks right: a float too late", "silent", "falls")(
    lambda: three(cure=lambda p, a: (p * a).sum().astype(float) / p.sum())
)
vary("each product is too large already", "silent", "holds")(
    lambda: three(lambda p, a: (1000 * p * a).sum() / (1000 * p).sum(), floats)
)
vary("looks right: a float after a product", "silent", "falls")(lambda: three(cure=large))


@vary("a running total of bytes, in a scan", "silent", "holds")
def _():
    pixels = np.random.default_rng(0).integers(100, 256, size=(30, 40), dtype=np.uint8)

    def energy(pixels):
        row = lambda total, row: (total + (row * row).sum(), None)
        return jax.lax.scan(row, jnp.uint32(0), jnp.asarray(pixels))[0]

    def cured(pixels):
        row = lambda total, row: (total + (row.astype(float) * row).sum(), None)
        return jax.lax.scan(row, 0.0, jnp.asarray(pixels))[0]

    return lambda: energy(pixels), (pixels.astype(float) ** 2).sum(), lambda: cured(pixels)


def _spread(variance, jit=jax.jit):
    seconds = np.random.default_rng(1).integers(80_000, 80_100, size=1000)
    naive = lambda x: (x * x).sum() / x.size - (x.sum() / x.size) ** 2
    return (
        lambda: jit(naive)(jnp.asarray(seconds)),
        seconds.var(),
        lambda: jit(variance or (lambda x: naive(x.astype(float))))(jnp.asarray(seconds)),
    )


vary("a variance from two sums of floats", "silent", "falls")(lambda: _spread(None))
vary("a variance by jnp.var", "silent", "holds")(lambda: _spread(jnp.var))


@vary("64 bits", "right", "holds")
def _():
    jax.config.update("jax_enable_x64", True)  # until the end, so this row is the last
    return three()
