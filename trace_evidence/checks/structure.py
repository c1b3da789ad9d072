"""Does a read change the structure of a pytree? See *Lazy pytree drift*."""

import copy

import jax


def check_reads_keep_structure(instance):
    """Fail if reading an attribute of a pytree changes its structure.

    Args:
        instance: a pytree that was not read before. Only a shallow copy is read.

    Raises:
        AssertionError: with the attribute's name, and the structure before and after; or the
            class is not registered, so that JAX takes the instance for one leaf.
    """
    kind = type(instance).__name__
    assert not jax.tree_util.all_leaves([instance]), f"{kind} is not registered as a pytree"
    instance = copy.copy(instance)
    before = jax.tree.structure(instance)
    for name in dir(type(instance)):
        if name.startswith("_"):
            continue
        try:
            getattr(instance, name)
        except Exception:
            pass  # a read that raises may have written all the same
        after = jax.tree.structure(instance)
        assert after == before, f"reading {name!r} turned {before} into {after}"
