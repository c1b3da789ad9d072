"""Variations of *Readings ten seconds apart have the same time*: the time since the first."""

import jax
import jax.numpy as jnp
import numpy as np

from evidence.variation import vary

SECONDS = 1_763_900_000.0 + 10 * np.arange(31)


def elapsed(times):
    return times - times[0]


IN_JAX = jax.jit(elapsed)


def three(times, in_jax=IN_JAX, cure=lambda times: jnp.asarray(times - times[0])):
    return lambda: in_jax(times), times - times[0], lambda: cure(times)


vary("seconds, under jit", "silent", "holds")(lambda: three(SECONDS))
vary("seconds, by jnp.asarray", "silent", "holds")(
    lambda: three(SECONDS, lambda times: elapsed(jnp.asarray(times)))
)
vary("under vmap, less their mean", "silent", "holds")(
    lambda: three(
        SECONDS,
        lambda times: jax.vmap(lambda time: time - jnp.mean(jnp.asarray(times)))(times),
    )
)
vary("Julian dates, by the hour", "silent", "holds")(
    lambda: three(2_461_000.5 + np.arange(24) / 24)
)
vary("meters from a far origin", "silent", "holds")(lambda: three(5_432_100.0 + np.arange(9) / 4))
vary("looks right: astype afterwards", "silent", "falls")(
    lambda: three(SECONDS, cure=lambda times: elapsed(jnp.asarray(times).astype(float)))
)
vary("looks right: subtracted by jnp", "silent", "falls")(
    lambda: three(SECONDS, cure=lambda times: jnp.subtract(times, times[0]))
)
vary("whole seconds as integers", "right", "holds")(lambda: three(SECONDS.astype(int)))
vary("days since 1970", "right", "holds")(lambda: three(20_400.0 + np.arange(9)))


@vary("nanoseconds as integers, which wrap around", "silent", "holds")
def _():
    nanoseconds = (SECONDS * 1e9).astype(np.int64)
    return (
        lambda: jax.jit(elapsed)(nanoseconds),
        elapsed(nanoseconds) / 1e9,
        lambda: jnp.asarray(elapsed(nanoseconds) / 1e9),
    )


@vary("datetime64 in milliseconds, as integers", "silent", "holds")
def _():
    start = np.datetime64("2025-11-23T12:00:00.000")
    stamps = start + 10_000 * np.arange(31).astype("timedelta64[ms]")
    numbers = stamps.astype(np.int64)
    diff = jax.jit(lambda times: jnp.diff(times / 1000))
    return (
        lambda: diff(jnp.asarray(numbers)),
        np.diff(numbers / 1000),
        lambda: diff(jnp.asarray(numbers - numbers[0])),
    )


@vary("a column of a table, in scan", "silent", "holds")
def _():
    times = 1_763_900_000.0 + 10 * np.arange(31)
    table = np.stack([times, 900.0 - 0.5 * (times - times[0])], axis=1)
    cured = table - [times[0], 0.0]

    @jax.jit
    def area(table):
        def step(last, row):
            return row, (row[0] - last[0]) * row[1]

        return jax.lax.scan(step, table[0], table[1:])[1]

    return area(table), np.diff(times) * table[1:, 1], area(cured)


@vary("a month at ten hertz", "silent", "falls")
def _():
    times = 1_763_900_000.0 + 0.1 * np.arange(26_000_000, 26_000_031)
    first = 1_763_900_000.0
    diff = jax.jit(jnp.diff)
    return diff(times), np.diff(times), diff(times - first)


@vary("64 bits", "right", "holds")
def _():
    jax.config.update("jax_enable_x64", True)  # until the end, so this row is the last
    return three(SECONDS)
