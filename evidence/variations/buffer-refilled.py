"""Variations of *All batches become the last one*: the means of five batches."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from evidence.variation import vary


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


def asarray(*args, **options):
    return lambda: three(lambda buffer: jnp.asarray(buffer, *args, **options))


vary("asarray, dtype by position", "silent", "holds")(asarray(jnp.float32))
vary("asarray, dtype by keyword", "silent", "holds")(asarray(dtype="float32"))
vary("asarray, the buffer's dtype", "silent", "holds")(
    lambda: three(lambda buffer: jnp.asarray(buffer, dtype=buffer.dtype))
)
vary("asarray, another dtype", "right", "holds")(asarray(jnp.bfloat16))
vary("jnp.array, copy=False and a dtype", "silent", "holds")(
    lambda: three(lambda buffer: jnp.array(buffer, jnp.float32, copy=False))
)


def cured_by(make):
    """Compare with another cure than `jnp.array` alone."""
    return lambda: (*three(jax.device_put)[:2], lambda: means(make, aligned(8)))


vary("the cure has a dtype, by position", "silent", "holds")(
    cured_by(lambda buffer: jnp.array(buffer, jnp.float32))
)
vary("the cure has a dtype, by keyword", "silent", "holds")(
    cured_by(lambda buffer: jnp.array(buffer, dtype=buffer.dtype))
)
vary("the cure is in a partial", "silent", "holds")(
    cured_by(functools.partial(jnp.array, dtype=jnp.float32))
)
vary("the cure is buffer.copy()", "silent", "holds")(
    cured_by(lambda buffer: jax.device_put(buffer.copy()))
)
vary("looks right: asarray in tree.map, with a dtype", "silent", "falls")(
    cured_by(lambda b: jax.tree.map(lambda leaf: jnp.asarray(leaf, float), {"x": b})["x"])
)


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


@vary("a large buffer, refilled at once", "silent", "holds")
def _():
    size = 4_000_000
    buffer = aligned(size)

    def means(put):
        batches = []
        for number in range(5):
            buffer[:] = number
            batches.append(put(buffer))
        return [float(batch.mean()) for batch in batches]

    return means(jax.device_put), np.arange(5.0), means(jnp.array)


@vary("a jitted step gets the buffer, in a class", "silent", "holds")
def _():
    class Loader:
        def __init__(self, copy):
            self.copy, self.buffer = copy, aligned(512 * 512).reshape(512, 512)

        def __iter__(self):
            for number in range(5):
                self.buffer[:] = number
                yield self.copy(self.buffer)

    @jax.jit
    def step(batch):
        return (batch @ (batch @ jnp.eye(512))).max()

    def run(copy):
        return [float(x) for x in [step(batch) for batch in Loader(copy)]]

    kept = lambda copy: [float(step(b)) for b in list(Loader(copy))]
    expected = 512 * np.arange(5.0) ** 2
    return kept(jax.device_put), expected, run(np.array)
