"""Variations of *The gradient is too large by the number of devices*: gradients."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
from jax import lax

from evidence.variation import vary

numpyro.set_host_device_count(4)


def data(devices, each=3, seed=0):
    rng = np.random.default_rng(seed)
    return np.float32(rng.normal(size=(devices, each, 2))), np.float32([1.0, 2.0])


def loss(weights, rows, add=lax.psum):
    return add(jnp.sum((rows @ weights) ** 2), "device")


def by_numpy(rows, weights):
    rows = rows.reshape(-1, 2)
    return 2 * rows.T @ (rows @ weights)


def pmapped(function):
    return jax.pmap(function, "device", in_axes=(None, 0))


def sharded(**options):
    def wrap(function):
        specs = jax.sharding.PartitionSpec
        mesh = jax.make_mesh((4,), ("device",), axis_types=(jax.sharding.AxisType.Auto,))
        places = {"in_specs": (specs(), specs("device")), "out_specs": specs()}
        mapped = jax.jit(jax.shard_map(function, mesh=mesh, **places, **options))
        return lambda weights, rows: jnp.stack([mapped(weights, rows)])

    return wrap


def three(wrap, inside=loss, devices=4, scale=1.0, **options):
    rows, weights = data(devices, **options)
    both = lambda weights, rows: lax.psum(jax.grad(inside)(weights, rows), "device")
    outside = jax.grad(lambda weights: wrap(inside)(weights, rows).ravel()[0])
    right = by_numpy(rows, weights) * scale
    return lambda: wrap(both)(weights, rows)[0], right, lambda: outside(weights)


@vary("pmap, four devices", "silent", "holds")
def _():
    return three(pmapped)


@vary("pmap, two devices, one row each", "silent", "holds")
def _():
    return three(pmapped, devices=2, each=1, seed=1)


@vary("pmap, one device", "right", "holds")
def _():
    return three(pmapped, devices=1)


@vary("pmap, pmean in the loss, psum of the gradients", "silent", "holds")
def _():
    return three(pmapped, lambda *given: loss(*given, add=lax.pmean), scale=0.25)


@vary("vmap with an axis name", "silent", "holds")
def _():
    return three(lambda f: jax.vmap(f, in_axes=(None, 0), axis_name="device"))


@vary("shard_map", "silent", "holds", then=("AttributeError", "AttributeError"))
def _():
    return three(sharded())


@vary("shard_map, pmean in the loss", "silent", "holds", then=("AttributeError", "AttributeError"))
def _():
    return three(sharded(), lambda *given: loss(*given, add=lax.pmean), scale=0.25)


@vary("shard_map, check_vma=False", "silent", "holds", then=("AttributeError", "AttributeError"))
def _():
    return three(sharded(check_vma=False))


@vary(
    "looks right: one psum, of the gradients, in shard_map",
    "silent",
    "holds",
    then=("AttributeError", "AttributeError"),
)
def _():
    rows, weights = data(4)
    local = lambda weights, rows: jnp.sum((rows @ weights) ** 2)
    summed = lambda weights, rows: lax.psum(jax.grad(local)(weights, rows), "device")
    in_loss = lambda: sharded()(jax.grad(loss))(weights, rows)[0]
    return lambda: sharded()(summed)(weights, rows)[0], by_numpy(rows, weights), in_loss


@vary("parameters in a dict, value_and_grad, keywords", "silent", "holds")
def _():
    rows, weights = data(2, each=1)
    start = {"slope": weights, "offset": np.float32(0.5)}

    def part(params, row):
        return lax.psum(((row @ params["slope"] + params["offset"]) ** 2).sum(), axis_name="i")

    def inside(params, row):
        return lax.psum(jax.value_and_grad(part)(params, row)[1], axis_name="i")

    mapped = lambda f: jax.pmap(f, axis_name="i", in_axes=(None, 0), devices=jax.devices()[:2])
    outside = lambda: jax.grad(lambda params: mapped(part)(params, rows)[0])(start)["offset"]
    expected = 2 * (rows @ weights + 0.5).sum()
    return lambda: mapped(inside)(start, rows)["offset"][0], expected, outside


@vary("three steps in a scan within pmap", "silent", "holds")
def _():
    rows, weights = data(4)

    def steps(weights, rows):
        slope = lambda w: lax.psum(jax.grad(loss)(w, rows), "device")
        return lax.scan(lambda w, _: (w - 1e-3 * slope(w), None), weights, None, length=3)[0]

    def outside():
        whole = lambda w: pmapped(loss)(w, rows)[0]
        at = weights
        for _ in range(3):
            at = at - 1e-3 * jax.grad(whole)(at)
        return at

    expected = weights
    for _ in range(3):
        expected = expected - 1e-3 * by_numpy(rows, expected)
    return lambda: pmapped(steps)(weights, rows)[0], expected, outside
