"""Variations of *JAX keeps the old values of a NumPy array changed in place*: the new total."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from evidence.variation import vary

if hasattr(jax, "enable_x64"):
    enable_x64 = jax.enable_x64
else:  # in 2024
    from jax.experimental import enable_x64


def three(run, dtype=np.float64, cure=np.copy, change=50.0, exact=103.0, again=None):
    """`run` makes a new function of an array and calls it; the first function lives on."""

    def second(cure, again=run):
        prices = np.array([1.0, 2.0]).astype(dtype)
        kept = run(prices)
        prices += dtype(change)
        answer = again(cure(prices))
        del kept
        return float(answer[1])

    return lambda: second(lambda prices: prices), exact, lambda: second(cure, again or run)


def jitted(prices):
    function = jax.jit(lambda amount: jnp.sum(prices * amount))
    return function, function(1.0)


def forgotten(prices):
    return None, jitted(prices)[1]


def filtered(prices):
    function = eqx.filter_jit(lambda amount: jnp.sum(prices * amount))
    return function, function(jnp.float32(1.0))


def scanned(prices):
    body = lambda total, amount: (total + jnp.sum(prices * amount), None)
    return body, lax.scan(body, 0.0, jnp.ones(1))[0]


def mapped(prices):
    function = jax.vmap(lambda amount: jnp.sum(prices * amount))
    return function, function(jnp.ones(1))[0]


def differentiated(prices):
    function = jax.grad(lambda amount: jnp.sum(prices * amount))
    return function, function(1.0)


def as_argument(prices):
    function = jax.jit(lambda prices, amount: jnp.sum(prices * amount))
    return function, function(prices, 1.0)


def unjitted(prices):
    return prices, jnp.sum(prices * jnp.float32(1.0))


def argument(prices):
    """Pass the array to a function that has read nothing."""
    return prices, jax.jit(lambda prices, amount: jnp.sum(prices * amount))(prices, 1.0)


def single(prices):
    return jnp.array(prices, dtype=jnp.float32)


def view(prices):
    return prices[:]


def in_double(prices):
    with enable_x64(True):
        return jitted(prices)


vary("float64, under jit", "silent", "holds", then=("right", "holds"))(lambda: three(jitted))
vary("another change", "silent", "holds", then=("right", "holds"))(
    lambda: three(jitted, change=-1.0, exact=1.0)
)
vary("int64", "silent", "holds", then=("right", "holds"))(lambda: three(jitted, np.int64))
vary("float32", "right", "holds")(lambda: three(jitted, np.float32))


@vary("a table of a class, shuffled in place", "silent", "holds", then=("right", "holds"))
def _():
    class Lookup:
        def __init__(self, copies):
            self.table, self.copies, self.made = np.arange(6.0), copies, []

        def total(self):
            self.made.append(jax.jit(lambda w: jnp.dot(self.table, w)))
            return self.made[-1](np.arange(6.0))

        def shuffled(self):
            self.total()
            self.table = self.table.copy() if self.copies else self.table
            np.random.default_rng(1).shuffle(self.table)
            return self.total()

    order = np.arange(6.0)
    np.random.default_rng(1).shuffle(order)
    return lambda: Lookup(False).shuffled(), order @ np.arange(6.0), lambda: Lookup(True).shuffled()


@vary("np.add with out=, in a fori_loop", "silent", "holds", then=("right", "holds"))
def _():
    def second(add):
        rain, made = np.array([1.0, 2.0, 3.0]), []

        def total(rain):
            add_day = lambda _, total: total + jnp.sum(rain * total)
            made.append(jax.jit(lambda start: lax.fori_loop(0, 2, add_day, start)))
            return made[-1](1.0)

        total(rain)
        return total(add(rain))

    in_place = lambda rain: np.add(rain, 1.0, out=rain)
    return lambda: second(in_place), 100.0, lambda: second(lambda rain: np.add(rain, 1.0))


vary("64 bits enabled", "right", "holds")(lambda: three(in_double))
vary("eqx.filter_jit", "silent", "holds", then=("right", "holds"))(lambda: three(filtered))
vary("scan", "silent", "holds", then=("right", "holds"))(lambda: three(scanned))
vary("vmap", "right", "holds")(lambda: three(mapped))
vary("grad", "right", "holds")(lambda: three(differentiated))
vary("the first function is gone", "right", "holds")(lambda: three(forgotten))
vary("no function of JAX", "right", "holds")(lambda: three(unjitted))
vary("the array is an argument", "right", "holds")(lambda: three(as_argument))
vary("the cure is jnp.array with a dtype", "silent", "holds", then=("right", "holds"))(
    lambda: three(jitted, cure=single)
)
vary("looks right: the array as an argument", "silent", "falls", then=("right", "holds"))(
    lambda: three(jitted, cure=lambda prices: prices, again=argument)
)
vary("looks right: jnp.array of it", "silent", "falls", then=("right", "holds"))(
    lambda: three(jitted, cure=jnp.array)
)
vary("looks right: jnp.asarray of it", "silent", "falls", then=("right", "holds"))(
    lambda: three(jitted, cure=jnp.asarray)
)
vary("the cure is a view of it", "silent", "holds", then=("right", "holds"))(
    lambda: three(jitted, cure=view)
)
vary("looks right: np.asarray of it", "silent", "falls", then=("right", "holds"))(
    lambda: three(jitted, cure=np.asarray)
)
