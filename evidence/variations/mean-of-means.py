"""Variations of *The mean over shards of unequal length is not the mean*: means and gradients."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
from jax import lax

from evidence.variation import vary

numpyro.set_host_device_count(4)
ROWS = np.float32([1, 2, 1, 2, 1, 2, 1, 2, 1, 9])


def cut(rows, devices, each):
    spare = devices * each - len(rows)
    shape = (devices, each, *rows.shape[1:])
    padded = np.pad(rows, [(0, spare)] + [(0, 0)] * (rows.ndim - 1)).reshape(shape)
    return padded, (np.arange(devices * each) < len(rows)).reshape(devices, each)


def local(rows, counts):
    return jnp.sum(jnp.where(counts, rows, 0.0)), jnp.sum(counts)


def of_means(rows, counts):
    total, count = local(rows, counts)
    return lax.pmean(total / count, "device")


def of_all(rows, counts):
    total, count = local(rows, counts)
    return lax.psum(total, "device") / lax.psum(count, "device")


def three(rows=ROWS, devices=4, each=3, way=None, wrong=of_means, cure=of_all):
    data = cut(rows, devices, each)
    way = way or (lambda f: lambda *data: jax.pmap(f, "device")(*data)[0])
    return lambda: way(wrong)(*data), rows.mean(), lambda: way(cure)(*data)


def vmapped(function):
    return lambda *data: jax.vmap(function, axis_name="device")(*data)[0]


def padded_mean(rows, counts):
    return lax.pmean(jnp.mean(rows), "device")


vary("as on the page", "silent", "holds")(lambda: three())
vary("two devices", "silent", "holds")(lambda: three(devices=2, each=7))
vary("another shape of data", "silent", "holds")(
    lambda: three(np.random.default_rng(0).gamma(1.0, size=9).astype("float32"))
)
vary("all shards are full", "right", "holds")(lambda: three(devices=2, each=5))
vary("an axis of vmap in place of devices", "silent", "holds")(lambda: three(way=vmapped))
vary("looks right: zeros as padding, and the mean of all", "silent", "falls")(
    lambda: three(cure=padded_mean)
)


@vary("a gradient", "silent", "holds")
def gradient():
    data = cut(ROWS, 4, 3)

    def loss(place, rows, counts):
        return local((place - rows) ** 2, counts)

    def wrong(rows, counts):
        mean = lambda place: loss(place, rows, counts)[0] / jnp.sum(counts)
        return lax.pmean(jax.grad(mean)(0.0), "device")

    def cure(rows, counts):
        slope = jax.grad(lambda place: loss(place, rows, counts)[0])(0.0)
        return lax.psum(slope, "device") / lax.psum(jnp.sum(counts), "device")

    run = lambda f: lambda: jax.pmap(f, "device")(*data)[0]
    return run(wrong), -2 * ROWS.mean(), run(cure)


@vary("micro-batches, the last of which is short", "silent", "holds")
def batches():
    parts = [ROWS[i : i + 4] for i in range(0, 10, 4)]
    slope = lambda rows, of=jnp.mean: jax.grad(lambda place: of((place - rows) ** 2))(0.0)
    return (
        lambda: sum(slope(part) for part in parts) / len(parts),
        -2 * ROWS.mean(),
        lambda: sum(slope(part, jnp.sum) for part in parts) / len(ROWS),
    )


@vary("accumulated in a scan, with masks", "silent", "holds")
def scan():
    data = cut(ROWS, 4, 3)

    def wrong(total, part):
        found, count = local(*part)
        return total + found / count / 4, None

    def cure(carry, part):
        return jax.tree.map(jnp.add, carry, local(*part)), None

    def cured():
        total, count = lax.scan(cure, (0.0, 0), data)[0]
        return total / count

    return lambda: lax.scan(wrong, 0.0, data)[0], ROWS.mean(), cured


@vary("sentences of unequal length, a mean for each", "silent", "holds")
def sentences():
    losses, words = cut(ROWS, 1, 10)[0].reshape(2, 5), np.arange(5) < np.array([[5], [2]])
    expected = losses[words].mean()
    wrong = lambda: jnp.mean(jnp.mean(losses, axis=1, where=words))
    return wrong, expected, lambda: jnp.mean(losses, where=words)


@vary("a sharded array under jit", "silent", "holds")
def sharded():
    mesh = jax.sharding.Mesh(np.array(jax.devices()), ("device",))
    place = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("device"))
    rows, counts = jax.device_put(cut(ROWS, 4, 3), place)
    wrong = lambda rows, counts: jnp.mean(jnp.mean(rows, axis=1, where=counts))
    cure = lambda rows, counts: jnp.mean(rows, where=counts)
    return lambda: jax.jit(wrong)(rows, counts), ROWS.mean(), lambda: jax.jit(cure)(rows, counts)
