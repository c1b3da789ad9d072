"""Variations of *Compiling takes longer the more data there are*: numbers in the program."""

import functools
import math
import re

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from jax import lax
from numpyro.infer.util import log_density

from evidence.variation import vary

DATA = np.random.default_rng(1).normal(size=(300, 7)).astype(np.float32)
W = np.ones(7, np.float32)


def in_text(text):
    shapes = re.findall(r'constant dense<"[^>]*> : tensor<([\dx]+)x', text)
    return sum(math.prod(map(int, shape.split("x"))) for shape in shapes)


def written(function, *arguments, jit=jax.jit, **named):
    """Numbers in the arrays that the program contains."""
    return lambda: in_text(jit(function).lower(*arguments, **named).as_text())


def loss(w, data):
    return ((data @ w) ** 2).mean()


def closing(data):
    return lambda w: loss(w, data)


cure = written(loss, W, DATA)
vary("as on the page", "silent", "holds")(lambda: (written(closing(DATA), W), 0, cure))
vary("a JAX array", "silent", "holds")(lambda: (written(closing(jnp.asarray(DATA)), W), 0, cure))
vary("by keyword", "silent", "holds")(
    lambda: (written(closing(DATA), W), 0, written(loss, W, data=DATA))
)
vary("integers", "silent", "holds")(
    lambda: (
        written(closing(DATA.astype(int)), W),
        0,
        written(loss, W, DATA.astype(int)),
    )
)
vary("the gradient", "silent", "holds")(
    lambda: (written(jax.grad(closing(DATA)), W), 0, written(jax.grad(loss), W, DATA))
)
vary("in a scan", "silent", "holds")(
    lambda: (
        written(lambda w: lax.scan(lambda w, _: (0.9 * w * loss(w, DATA), None), w, length=3), W),
        0,
        written(
            lambda w, data: lax.scan(lambda w, _: (0.9 * w * loss(w, data), None), w, length=3),
            W, DATA,
        ),
    )
)  # fmt: skip
vary("looks right: put on the device", "silent", "falls")(
    lambda: (written(closing(DATA), W), 0, written(closing(jax.device_put(DATA)), W))
)
vary("looks right: a partial inside of jit", "silent", "falls")(
    lambda: (written(closing(DATA), W), 0, written(functools.partial(loss, data=DATA), W))
)


class Net(eqx.Module):
    weights: jax.Array

    def __call__(self, x):
        return self.weights @ x


NET = Net(jnp.asarray(DATA))
vary("Equinox: the bound method", "silent", "holds")(
    lambda: (
        written(NET.__call__, W, jit=eqx.filter_jit),
        0,
        written(lambda net, x: net(x), NET, W, jit=eqx.filter_jit),
    )
)
vary("looks right: jit of the module", "silent", "falls")(
    lambda: (
        written(NET.__call__, W, jit=eqx.filter_jit),
        0,
        written(lambda x: NET(x), W, jit=eqx.filter_jit),
    )
)


class Fit:
    def __init__(self, data):
        self.data = data

    @functools.partial(jax.jit, static_argnums=0)
    def by_self(self, w):
        return loss(w, self.data)

    def by_argument(self, w):
        return loss(w, self.data)


@vary("a method with a static self", "silent", "holds")
def _():
    fit = Fit(DATA)
    got = lambda: in_text(Fit.by_self.lower(fit, W).as_text())
    return got, 0, written(loss, W, fit.data)


@vary("a NumPyro model", "silent", "holds")
def _():
    def model(data):
        with numpyro.plate("rows", len(data), dim=-2):
            numpyro.sample("y", dist.Normal(numpyro.sample("m", dist.Normal()), 1), obs=data)

    def density(m, data):
        return log_density(numpyro.handlers.mask(model, mask=True), (data,), {}, {"m": m})[0]

    def closed(m):
        return density(m, DATA)

    return (
        written(closed, 0.5 * np.ones((300, 1), np.float32)),
        0,
        written(density, 0.5 * np.ones((300, 1), np.float32), DATA),
    )
