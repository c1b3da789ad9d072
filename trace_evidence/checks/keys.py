"""Can a callable be a key of JAX's caches? See *Tracer hashing*."""

import weakref

import jax

JITTED = type(jax.jit(lambda: None))


def inside(function):
    """Return what a compiled function compiles: a loop looks it up by that."""
    return inside(function.__wrapped__) if isinstance(function, JITTED) else function


def check_key(make, first, second):
    """Check that JAX can use what `make` builds from an array as a cache key.

    Args:
        make: builds the callable from a value, as your code does under `jit`.
        first: a value for `make`.
        second: another value, with which the callable must do something else.

    Raises:
        AssertionError: the callable has no hash, does not take a weak reference, or is
            equal to one that holds another value.
    """

    def traced(first, second):
        key, other_key = make(first), make(second)
        try:
            hash(inside(key)), weakref.ref(inside(key))
            same = bool(key == other_key)
        except TypeError as error:
            raise AssertionError(f"not a cache key: {error}") from error
        assert not same, "callables that hold different values are equal"

    jax.eval_shape(traced, first, second)
