"""Look for indices outside of what they read, which JAX moves to another element."""

from __future__ import annotations

import jax
import numpy as np

from .. import running
from ..context import Context, NothingToCompare
from ..programs import outside, reading_nothing


def check(context: Context) -> None:
    """Compare the indices of one run with the lengths of what they read, in loops too.

    It is a finding where the log density is another once NaN stands for what is read there, and a
    hint where a `where` leaves it out afterwards, or where that cannot be told. In the same way an
    index of -1 is seen, which reads the last element.

    Raises:
        NothingToCompare: nothing is read by an index, or JAX's `checkify` does not take the model.
        CannotRun: the model does not run under `jit`.
    """
    given = (context.rng_key, context.values)
    says, place = outside(context.traced, *given)
    if says is None:
        raise NothingToCompare("nothing is read by an index")
    if says:
        matters = matter(context, negative=False)
        if matters:
            says += ", and the log density depends on it, its gradient as a rule does not"
        tell = context.find if matters else context.hint
        tell("index-outside", says, cases=["index-past-the-end"], place=place)
    elif matter(context, negative=True):
        says = (
            "an index is below zero, such as the -1 that stands for a missing label: JAX counts it "
            "from the end, and the log density depends on what it reads there"
        )
        tell = context.find if labels(context) else context.hint
        tell("index-negative", says, place=place)


def matter(context: Context, negative: bool) -> bool:
    """Tell whether the log densities depend on what is read outside."""
    given = (context.rng_key, context.values)
    try:
        reads, not_there = (
            running.quick(program, *given)
            for program in (context.traced, reading_nothing(context.traced, negative))
        )
    except Exception:  # an operation whose program cannot be changed
        return False
    pairs = [(np.asarray(reads[name]), np.asarray(not_there[name])) for name in context.names]
    return any(not np.array_equal(read, nothing, equal_nan=True) for read, nothing in pairs)


def labels(context: Context) -> bool:
    """Tell whether the model is given whole numbers of which none is below zero but -1."""
    given = [*jax.tree.leaves((context.args, context.kwargs))]
    given += [held[0] for held in context.held.noted.values() if isinstance(held[0], np.ndarray)]
    whole = [
        numbers
        for numbers in given
        if hasattr(numbers, "dtype") and np.issubdtype(numbers.dtype, np.integer)
    ]
    return any(np.min(numbers, initial=0) == -1 for numbers in whole)
