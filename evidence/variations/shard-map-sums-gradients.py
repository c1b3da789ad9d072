"""Variations of *Each example gets the gradient of all examples*: gradients of examples."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
from jax import lax

from evidence.variation import vary

numpyro.set_host_device_count(4)
WEIGHTS = np.float32([1.0, 2.0])
ROWS = np.float32(np.random.default_rng(0).normal(size=(8, 2)))


def loss(weights, row):
    return (row @ weights) ** 2


def sharded(function, rows=ROWS, given=(), devices=4, **options):
    specs = jax.sharding.PartitionSpec
    mesh = jax.make_mesh((devices,), ("device",), axis_types=(jax.sharding.AxisType.Auto,))
    places = {
        "in_specs": (specs(),) * len(given) + (specs("device"),),
        "out_specs": specs("device"),
    }
    return jax.jit(jax.shard_map(function, mesh=mesh, **places, **options))(*given, rows)


def own(weights):
    return jax.tree.map(lambda leaf: lax.pcast(leaf, "device", to="varying"), weights)


def of_rows(mark=lambda weights: weights, **options):
    def gradients(rows):
        weights = mark(jnp.asarray(WEIGHTS))
        return jax.vmap(lambda row: jax.grad(loss)(weights, row))(rows)

    return sharded(gradients, **options)


def right(rows=ROWS):
    return 2 * (rows @ WEIGHTS)[:, None] * rows


def three(**options):
    return lambda: of_rows(**options), right(), lambda: of_rows(own, **options)


MISSING = {"then": ("AttributeError", "AttributeError")}


@vary("eight rows on four devices", "silent", "holds", **MISSING)
def _():
    return three()


@vary("two devices", "silent", "holds", **MISSING)
def _():
    return three(devices=2)


@vary("one device", "right", "holds", **MISSING)
def _():
    return three(devices=1)


@vary("check_vma=False", "right", "holds", **MISSING)
def _():
    return three(check_vma=False)


@vary("weights as an argument, by P()", "silent", "holds", **MISSING)
def _():
    def with_weights(mark):
        def gradients(weights, rows):
            weights = mark(weights)
            return jax.vmap(lambda row: jax.grad(loss)(weights, row))(rows)

        return lambda: sharded(gradients, given=(WEIGHTS,))

    return with_weights(lambda weights: weights), right(), with_weights(own)


@vary("a dictionary of weights, jax.vjp", "silent", "holds", **MISSING)
def _():
    def by_vjp(mark):
        def gradient(weights, row):
            _, pull = jax.vjp(lambda weights: loss(weights["w"], row), weights)
            return pull(jnp.ones(()) + 0 * row.sum())[0]["w"]

        def gradients(rows):
            weights = mark({"w": jnp.asarray(WEIGHTS)})
            return jax.vmap(lambda row: gradient(weights, row))(rows)

        return lambda: sharded(gradients)

    return by_vjp(lambda weights: weights), right(), by_vjp(own)


@vary("looks right: the cast inside of what is differentiated", "silent", "falls", **MISSING)
def _():
    def gradients(rows):
        inner = lambda weights, row: loss(own(weights), row)
        return jax.vmap(lambda row: jax.grad(inner)(jnp.asarray(WEIGHTS), row))(rows)

    return of_rows, right(), lambda: sharded(gradients)


@vary("gradients in a dict, rows in a scan", "silent", "holds", **MISSING)
def _():
    start = {"slope": WEIGHTS, "offset": np.float32(0.5)}

    def part(params, row):
        return (row @ params["slope"] + params["offset"]) ** 2

    def of(mark):
        def gradients(params, rows):
            params = mark(params)
            one = lambda carry, row: (carry, jax.grad(part, argnums=0)(params, row)["offset"])
            return lax.scan(one, None, xs=rows)[1]

        return lambda: sharded(gradients, given=(start,))

    return of(lambda params: params), 2 * (ROWS @ WEIGHTS + 0.5), of(own)


@vary("the curvature of each row", "silent", "holds", **MISSING)
def _():
    def of(mark):
        def curvatures(rows):
            weights = mark(jnp.asarray(WEIGHTS))
            hessian = jax.jacfwd(jax.grad(loss))
            return jax.vmap(lambda row: jnp.trace(hessian(weights, row)))(rows)

        return lambda: sharded(curvatures)

    return of(lambda weights: weights), 2 * (ROWS**2).sum(axis=1), of(own)
