"""Variations of *A backward function that returns None gives a gradient of zero*: gradients."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from evidence.variation import vary


def product_with(slope_of_vector):
    """Return a product of matrix and vector whose gradient by the vector is what is given."""

    @jax.custom_vjp
    def product(matrix, vector):
        return matrix @ vector

    def forward(matrix, vector):
        return matrix @ vector, (matrix, vector)

    def backward(kept, slope):
        return jnp.outer(slope, kept[1]), slope_of_vector(*kept, slope)

    product.defvjp(forward, backward)
    return product


nothing = product_with(lambda matrix, vector, slope: None)
zeros = product_with(lambda matrix, vector, slope: jnp.zeros_like(vector))
whole = product_with(lambda matrix, vector, slope: matrix.T @ slope)


def three(gradient, wrong=nothing):
    return lambda: gradient(wrong), gradient(jnp.matmul), lambda: gradient(whole)


def first_layer(product, size=2, seed=0, jit=False):
    keys = jax.random.split(jax.random.PRNGKey(seed), 3)
    first, last = (jax.random.normal(key, (size, size)) for key in keys[:2])
    x = jax.random.normal(keys[2], (size,))
    loss = lambda first: jnp.sum(product(last, jnp.tanh(product(first, x))))
    gradient = jax.grad(loss)
    return np.asarray((jax.jit(gradient) if jit else gradient)(first))


def through_scan(product):
    step = lambda x, matrix: (jnp.tanh(product(matrix, x)), None)
    matrices = jnp.arange(12.0).reshape(3, 2, 2) / 10
    loss = lambda matrices: lax.scan(step, jnp.ones(2), matrices)[0].sum()
    return np.asarray(jax.grad(loss)(matrices))


def under_vmap(product):
    gradient = jax.grad(lambda x: jnp.sum(product(jnp.eye(2), x) ** 2))
    return np.asarray(jax.vmap(gradient)(jnp.arange(6.0).reshape(3, 2)))


@vary("two layers", "silent", "holds")
def _():
    return three(first_layer)


@vary("of size five, another seed, under jit", "silent", "holds")
def _():
    return three(lambda product: first_layer(product, 5, 3, jit=True))


@vary("three layers in a scan", "silent", "holds")
def _():
    return three(through_scan)


@vary("a gradient by the input, under vmap", "silent", "holds")
def _():
    return three(under_vmap)


@vary("zeros, written out", "silent", "holds")
def _():
    return three(first_layer, zeros)


@vary("one layer: the input is data", "right", "holds")
def _():
    loss = lambda product: lambda matrix: jnp.sum(product(matrix, jnp.arange(2.0)))
    return three(lambda product: np.asarray(jax.grad(loss(product))(jnp.eye(2))))


@vary("a row by its index: None for the integer only", "silent", "holds")
def _():
    def make(backward):
        @jax.custom_vjp
        def scaled(table, index, factor):
            return table[index] * factor

        forward = lambda table, index, factor: (
            scaled(table, index, factor),
            (table, index, factor),
        )
        scaled.defvjp(forward, backward)
        return scaled

    def lazy(kept, slope):
        table, index, factor = kept
        return jnp.zeros_like(table).at[index].set(slope * factor), None, None

    def full(kept, slope):
        return lazy(kept, slope)[0], None, jnp.sum(slope * kept[0][kept[1]])

    table, indices = jnp.arange(6.0).reshape(3, 2), jnp.array([0, 2])

    def slope(of):
        loss = lambda factor: jax.vmap(of, (None, 0, None))(table, indices, factor).sum()
        return jax.jit(jax.grad(loss))(2.0)

    plain = lambda table, index, factor: table[index] * factor
    return lambda: slope(make(lazy)), slope(plain), lambda: slope(make(full))


@vary("parameters in a dict, layers in scan", "silent", "holds")
def _():
    def make(backward):
        @functools.partial(jax.custom_vjp, nondiff_argnums=(0,))
        def layer(act, params, x):
            return act(params["w"] @ x + params["b"])

        layer.defvjp(lambda act, params, x: (layer(act, params, x), (params, x)), backward)
        return layer

    def full(act, kept, slope):
        of = lambda params, x: act(params["w"] @ x + params["b"])
        return jax.vjp(of, *kept)[1](slope)

    def lazy(act, kept, slope):
        return full(act, kept, slope)[0], None

    params = {"w": 0.1 * jnp.ones((3, 2, 2)), "b": jnp.ones((3, 2))}

    def slopes(layer):
        def loss(params):
            step = lambda x, params: (layer(jnp.tanh, params, x), None)
            data = lax.stop_gradient(jnp.array([1.0, 2.0]))
            return lax.scan(step, data, params)[0].sum()

        return jax.grad(loss)(params)["w"]

    plain = lambda act, params, x: act(params["w"] @ x + params["b"])
    return lambda: slopes(make(lazy)), slopes(plain), lambda: slopes(make(full))
