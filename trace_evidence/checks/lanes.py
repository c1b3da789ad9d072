"""Does a batch repeat a lane, or leave a tracer behind? See *AutoGuide under vmap*."""

import jax
import numpy as np


def held_tracers(thing, path, seen=None):
    """List the places below an object where a tracer is kept.

    Args:
        thing: any object; lists, tuples, dictionaries and attributes are entered.
        path: what the object is called in the places.
        seen: the objects that were entered before, by their id.
    """
    if isinstance(thing, jax.core.Tracer):
        return [path]
    seen = set() if seen is None else seen
    if id(thing) in seen:
        return []
    seen.add(id(thing))
    if isinstance(thing, (list, tuple)):
        thing = dict(enumerate(thing))
    inside = thing if isinstance(thing, dict) else getattr(thing, "__dict__", {})
    places = []
    for name, value in inside.items():
        places += held_tracers(value, f"{path}.{name}", seen)
    return places


def plain(leaf):
    """Return the data of a typed key, and any other array as it is."""
    typed = jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key)
    return jax.random.key_data(leaf) if typed else leaf


def check_batch(run, *mapped, kept=None):
    """Fail if lanes of a batch agree in all that they return, or if a tracer stays.

    Args:
        run: a function of one lane's arguments; it returns arrays, such as the start of a fit.
        mapped: the arguments, with one row for each lane.
        kept: the object that lives on after the batch, such as an `SVI`.

    Raises:
        AssertionError: the message names the places, or the lanes that agree.
    """
    results = jax.tree.leaves(jax.vmap(run)(*mapped))
    leaves = [np.asarray(plain(leaf)) for leaf in results]
    first, problems = {}, held_tracers(kept, "a tracer stays in kept")
    for lane in range(len(leaves[0])):
        lane_bytes = b"".join(leaf[lane].tobytes() for leaf in leaves)
        if lane_bytes in first:
            problems.append(f"lane {lane} repeats lane {first[lane_bytes]}")
        first.setdefault(lane_bytes, lane)
    assert not problems, "; ".join(problems)
