"""Variations of *A checkpoint turns large integers into other numbers*: what a file gives."""

import io
import pickle

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from evidence.variation import vary

LARGE = np.array([5_000_000_000, 6_000_000_000])
NEGATIVE = np.array([3_000_000_000, -3_000_000_000])
NANOSECONDS = np.array([1_700_000_000_123_456_789])
SMALL = np.array([7, 2_000_000_000])


def bits(on, function):
    jax.config.update("jax_enable_x64", on)
    try:
        return np.asarray(function())
    finally:
        jax.config.update("jax_enable_x64", False)


def filed(values, save):
    file = io.BytesIO()
    bits(True, lambda: save(file, jnp.asarray(values)) or 0)
    return file


def again(file, load, on=False):
    def run():
        file.seek(0)
        return bits(on, lambda: load(file))

    return run


def same_dtype(file, leaf):
    if eqx.is_array(leaf):
        start = file.tell()
        saved = np.load(file).dtype
        file.seek(start)
        assert saved == leaf.dtype, f"saved {saved}, loaded into {leaf.dtype}"
    return eqx.default_deserialise_filter_spec(file, leaf)


def into(values, like=jnp.zeros_like, **options):
    return lambda file: eqx.tree_deserialise_leaves(file, like(values), **options)


def equinox(values, cure=None, cure_on=True, spec=None):
    file = filed(values, eqx.tree_serialise_leaves)
    options = {} if spec is None else {"filter_spec": spec}
    cure = cure or into(values)
    return again(file, into(values, **options)), values, again(file, cure, cure_on)


vary("five and six billion, as on the page", "silent", "holds")(lambda: equinox(LARGE))
vary("negative too", "silent", "holds")(lambda: equinox(NEGATIVE))
vary("nanoseconds since 1970", "silent", "holds")(lambda: equinox(NANOSECONDS))
vary("below two billion", "right", "holds")(lambda: equinox(SMALL))
vary("the cure loads into NumPy, without 64 bits", "silent", "holds")(
    lambda: equinox(LARGE, into(LARGE, np.zeros_like), False)
)
vary("looks right: a dtype in what is loaded into", "silent", "falls")(
    lambda: equinox(LARGE, into(LARGE, lambda v: jnp.zeros(v.shape, jnp.int64)), False)
)
vary("looks right: 64 bits on after loading", "silent", "falls")(
    lambda: equinox(LARGE, lambda file: bits(False, lambda: into(LARGE)(file)), True)
)
vary("dtypes compared leaf by leaf, without 64 bits", "TreePathError", "holds")(
    lambda: equinox(LARGE, spec=same_dtype)
)
vary("jnp.save and jnp.load", "silent", "holds")(
    lambda: (
        again(filed(LARGE, jnp.save), jnp.load),
        LARGE,
        again(filed(LARGE, jnp.save), jnp.load, True),
    )
)
vary("np.savez, and jnp.asarray of what np.load returns", "silent", "holds")(
    lambda: (
        again(filed(LARGE, np.savez), lambda file: jnp.asarray(np.load(file)["arr_0"])),
        LARGE,
        again(filed(LARGE, np.savez), lambda file: np.load(file)["arr_0"]),
    )
)
vary("pickle", "silent", "holds")(
    lambda: (
        again(filed(LARGE, lambda file, a: file.write(pickle.dumps(a)) * 0), pickle.load),
        LARGE,
        again(filed(LARGE, lambda file, a: file.write(pickle.dumps(a)) * 0), pickle.load, True),
    )
)
vary("floating-point numbers, to seven digits", "right", "holds")(
    lambda: equinox(np.array([1.7e9 + 0.25, 16_777_217.0]))
)
vary("a floating-point number of 300 digits", "silent", "holds")(
    lambda: equinox(np.array([1e299, 1.0]))
)


@vary("a module in bytes, its shapes alone", "silent", "holds")
def _():
    class Log(eqx.Module):
        bytes_sent: jax.Array
        name: str = eqx.field(static=True)

    def make(sent=0):
        return Log(jnp.asarray(sent), "a")

    file = io.BytesIO()
    jax.config.update("jax_enable_x64", True)
    eqx.tree_serialise_leaves(file, make(7_000_000_000))
    jax.config.update("jax_enable_x64", False)

    def load(wide):
        file.seek(0)
        jax.config.update("jax_enable_x64", wide)
        try:
            like = eqx.filter_eval_shape(make)
            return float(eqx.tree_deserialise_leaves(file, like).bytes_sent)
        finally:
            jax.config.update("jax_enable_x64", False)

    return lambda: load(False), 7e9, lambda: load(True)


@vary("unsigned hashes of an npz, into NumPy arrays", "silent", "holds")
def _():
    file, hashes = io.BytesIO(), np.array([2**40 + 5, 2**41 + 6], np.uint64)
    np.savez(file, ids=hashes)
    file.seek(0)
    loaded = dict(np.load(file))
    put = jax.tree_util.tree_map(jnp.asarray, loaded)["ids"]
    return lambda: np.asarray(put, float), hashes.astype(float), lambda: loaded["ids"].astype(float)
