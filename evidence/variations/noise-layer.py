"""Variations of *A jitted layer adds the same noise at every call*: how many noises differ."""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, random

from evidence.variation import vary

jax.config.update("jax_disable_most_optimizations", True)


class Noise:
    def __init__(self, number=0):
        self.rng_key = random.key(number)

    def __call__(self, signal):
        self.rng_key, key = random.split(self.rng_key)
        return signal + random.normal(key, signal.shape)


class Dropout(Noise):
    def __call__(self, signal):
        self.rng_key, key = random.split(self.rng_key)
        return signal + random.bernoulli(key, 0.5, (40,)).astype(float) @ 2.0 ** -jnp.arange(40.0)


class Counting(Noise):
    count = 0

    def __call__(self, signal):
        self.count += 1
        return signal + random.normal(random.fold_in(self.rng_key, self.count), signal.shape)


class NumPyNoise(Noise):
    draw = np.random.default_rng(0)

    def __call__(self, signal):
        return signal + self.draw.normal(size=signal.shape)


class Module(eqx.Module):
    rng_key: jax.Array

    def __call__(self, signal):
        next_key, key = random.split(self.rng_key)
        return signal + random.normal(key, signal.shape), Module(next_key)


@jax.jit
def add_noise(rng_key, signal):
    rng_key, key = random.split(rng_key)
    return rng_key, signal + random.normal(key, signal.shape)


def by_key(calls):
    rng_key, noises = random.key(0), []
    for _ in range(calls):
        rng_key, noise = add_noise(rng_key, jnp.zeros(2))
        noises.append(noise)
    return noises


def by_module(calls):
    layer, call, noises = Module(random.key(0)), eqx.filter_jit(lambda m, x: m(x)), []
    for _ in range(calls):
        noise, layer = call(layer, jnp.zeros(2))
        noises.append(noise)
    return noises


def module_not_kept(calls):
    layer, call = Module(random.key(0)), eqx.filter_jit(lambda m, x: m(x))
    return [call(layer, jnp.zeros(2))[0] for _ in range(calls)]


def with_number(calls):
    add = jax.jit(lambda n, x: x + random.normal(random.fold_in(random.key(0), n), x.shape))
    return [add(place, jnp.zeros(2)) for place in range(calls)]


def three(layer=Noise, jit=jax.jit, calls=3, size=2, cure=by_key):
    def kept():
        call = jit(layer())
        return [call(jnp.zeros(size)) for _ in range(calls)]

    different = lambda noises: len({float(noise[0]) for noise in noises})
    return lambda: different(kept()), calls, lambda: different(cure(calls))


def scanned(layer):
    return lambda x: lax.scan(lambda c, x: (c, layer(x)), 0.0, jnp.stack([x] * 3))[1][:, 0]


def in_a_scan():
    return len(set(scanned(Noise())(jnp.zeros(2)).tolist()))


vary("three calls", "silent", "holds")(lambda: three())
vary("another seed, ten calls, one element", "silent", "holds")(
    lambda: three(lambda: Noise(4), calls=10, size=1)
)
vary("eqx.filter_jit", "silent", "holds")(lambda: three(jit=eqx.filter_jit))
vary("no jit", "right", "holds")(lambda: three(jit=lambda layer: layer))
vary("steps of a scan", "silent")(lambda: (in_a_scan, 3, None))
vary("dropout", "silent", "holds")(lambda: three(Dropout))
vary("a counter and fold_in", "silent", "holds")(lambda: three(Counting))
vary("noise by NumPy", "silent", "holds")(lambda: three(NumPyNoise))
vary("the cure is a number of the call", "silent", "holds")(lambda: three(cure=with_number))
vary("the cure is a module, returned", "silent", "holds")(lambda: three(cure=by_module))
vary("looks right: a module that is not kept", "silent", "falls")(
    lambda: three(cure=module_not_kept)
)


@vary("a global key, split in a jitted function", "silent", "holds")
def _():
    box = {"key": random.key(1)}

    @jax.jit
    def draw():
        box["key"], key = random.split(box["key"])
        return random.uniform(key)

    @jax.jit
    def drawn(key):
        key, now = random.split(key)
        return key, random.uniform(now)

    def distinct():
        return len({float(draw()) for _ in range(4)})

    def cured():
        key, found = random.key(1), set()
        for _ in range(4):
            key, value = drawn(key)
            found.add(float(value))
        return len(found)

    return distinct, 4, cured


@vary("a dropout with its key in a partial, in a scan", "silent", "holds")
def _():
    dropout = eqx.nn.Dropout(p=0.5)
    layer = functools.partial(dropout, key=random.PRNGKey(0))
    ones = jnp.ones(16)

    def masks(step, start):
        return len(np.unique(np.asarray(jax.lax.scan(step, start, None, length=5)[1]), axis=0))

    def step(key, _):
        key, now = random.split(key)
        return key, dropout(ones, key=now)

    same = lambda: masks(lambda carry, _: (carry, layer(ones)), None)
    return same, 5, lambda: masks(step, random.PRNGKey(0))
