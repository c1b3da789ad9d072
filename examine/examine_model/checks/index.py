"""Look for indices past the end of what they read, which JAX moves to its last element."""

from __future__ import annotations

from ..context import Context, NothingToCompare
from ..programs import outside


def check(context: Context) -> None:
    """Compare the indices of one run with the lengths of what they read, in loops too.

    It is a hint: a `where` may leave out afterwards what was read there.

    Raises:
        NothingToCompare: nothing is read by an index, or JAX's `checkify` does not take the model.
        CannotRun: the model does not run under `jit`.
    """
    given = (context.rng_key, context.values)
    says, place = outside(context.traced, *given)
    if says:
        context.hint("index-outside", says, cases=["index-past-the-end"], place=place)
    elif says is None:
        raise NothingToCompare("nothing is read by an index")
