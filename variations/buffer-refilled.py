"""Variations of *All batches become the last one*: the means of five batches."""

import jax
import jax.numpy as jnp
import numpy as np

from tools.variations import vary


def aligned(size, dtype=np.float32, offset=0):
    width = np.dtype(dtype).itemsize
    memory = np.empty(width * size + 128, np.uint8)
    start = -memory.ctypes.data % 64 + offset
    return memory[start : start + width * size].view(dtype)


def means(put, buffer):
    batches = []
    for number in range(5):
        buffer[:] = number
        batches.append(put(buffer))
    return [float(jnp.mean(jnp.asarray(batch, float))) for batch in batches]


def three(put, **options):
    options = {"size": 8, **options}
    wrong, cured = (lambda f: lambda: means(f, aligned(**options)) for _ in range(2))
    return wrong(put), list(range(5)), cured(jnp.array)


def here():
    return jax.sharding.SingleDeviceSharding(jax.devices()[0])


@vary("device_put", "silent", "holds")
def _():
    return three(jax.device_put)


@vary("100,000 numbers", "silent", "holds")
def _():
    return three(jax.device_put, size=100_000)


@vary("int32", "silent", "holds")
def _():
    return three(jax.device_put, dtype=np.int32)


@vary("float64, which becomes float32", "right", "holds")
def _():
    return three(jax.device_put, dtype=np.float64)


@vary("off by 16 bytes", "right", "holds", then=("silent", "holds"))
def _():
    return three(jax.device_put, offset=16)


@vary("in a dictionary", "silent", "holds")
def _():
    return three(lambda buffer: jax.device_put({"x": buffer})["x"])


@vary("jax.make_array_from_callback", "silent", "holds")
def _():
    def made(buffer):
        return jax.make_array_from_callback(buffer.shape, here(), lambda index: buffer[index])

    return three(made)


@vary("jnp.asarray", "right", "holds", then=("silent", "holds"))
def _():
    return three(jnp.asarray)


@vary("a jitted identity", "right", "holds")
def _():
    return three(jax.jit(lambda buffer: buffer + 0))


@vary("looks right: wait for it", "silent", "holds")
def _():
    return three(lambda buffer: jax.device_put(buffer).block_until_ready())


@vary("looks right: may_alias=False", "silent", "holds", then=("TypeError", "holds"))
def _():
    return three(lambda buffer: jax.device_put(buffer, may_alias=False))


@vary("looks right: copy=True of asarray", "right", "holds")
def _():
    return three(lambda buffer: jnp.asarray(buffer, copy=True))
