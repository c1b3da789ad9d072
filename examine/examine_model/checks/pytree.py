"""Look at the distributions that a model is given as arguments: they are pytrees, and copied.

Few models take one, and it runs for these alone. What it finds are faults of releases of NumPyro in
use, each a case of the book, and no other check sees one of them: `copy_forgets_validation`,
`leaf_order` and `parameter_stored_twice` in `trials/pairs.py` need it.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpyro import distributions as dist

from .. import held, running
from ..comparing import same, show
from ..context import Context, NothingToCompare
from .state import tidy

OUTSIDE = (-1, 1_000_000, -1_000_000)
"""Numbers one of which most supports that end somewhere do not hold."""


def check(context: Context) -> None:
    """Take each distribution among the arguments apart and put it together, as JAX does.

    One in a closure, an attribute or a global is looked at where the model has it copied.

    One that the model hands to NumPyro, as a prior, is not copied; one that it hands to `jit` or
    to a loop is. Of any other the order of its leaves and its gradient are looked at.

    Raises:
        NothingToCompare: there is none.
    """
    leaves = list(given(context.args, context.kwargs))
    if not leaves and not any(laws_held(context)):
        raise NothingToCompare("no argument is a distribution")
    with taken_apart() as copied:
        run = context.run(context.key(0))
    closed = [law for law in laws_held(context) if id(law[1]) in copied]
    for name, fn in closed[:1]:  # those inside it are copied with it
        validation(context, name, fn)
    priors = {id(site.fn) for site in run.sites}
    for name, fn in leaves:
        if id(fn) in copied:
            validation(context, name, fn)
        elif id(fn) in priors:
            continue
        order(context, name, fn)
        gradient(context, name, fn)
    if any(finding.id == "copy-forgets-bounds" for finding in context.findings):
        said_once(context)


def said_once(context: Context) -> None:
    """Take a hint of `jit` back where copies of the distributions explain it."""
    hinted = [hint for hint in context.hints if hint.id == "overflow"]
    if not hinted or not context.ways.anew:
        return
    copies, _ = context.without_programs(copied_law)
    if callable(copies):
        copies = running.quick(copies, context.key(1), context.values)
    for hint in hinted:
        called = context.ways.called[hint.site]
        original, copy = (each and context.apart(hint.site, called, each[hint.site])
                          for each in (context.ways.anew, copies))  # fmt: skip
        if original and copy is None:
            context.hints.remove(hint)


def copied_law(value: Any) -> Any:
    """Return a distribution or an array of NumPy as a copy, and anything else itself."""
    return copied(value) if isinstance(value, dist.Distribution) else held.copied(value)


@contextlib.contextmanager
def taken_apart() -> Iterator[set[int]]:
    """Collect the identities of the distributions that JAX takes apart meanwhile."""
    ids: set[int] = set()
    fields = vars(dist.Distribution)["gather_pytree_data_fields"]

    def noted(cls: type) -> Any:
        frame = sys._getframe(1)
        if frame.f_code.co_name == "tree_flatten":
            ids.add(id(frame.f_locals.get("self")))
        return fields.__func__(cls)

    hooked: Any = dist.Distribution
    hooked.gather_pytree_data_fields = classmethod(noted)
    try:
        yield ids
    finally:
        hooked.gather_pytree_data_fields = fields


def given(args: tuple, kwargs: dict) -> Iterator[tuple[str, Any]]:
    """Yield the distributions among the arguments, with what they are called."""
    rows = [*((f"argument {index + 1}", value) for index, value in enumerate(args))]
    for name, value in [*rows, *kwargs.items()]:
        leaves = jax.tree.leaves(value, is_leaf=lambda leaf: isinstance(leaf, dist.Distribution))
        for leaf in leaves:
            if isinstance(leaf, dist.Distribution):
                yield f"{name}, {type(leaf).__name__}", leaf


def laws_held(context: Context) -> Iterator[tuple[str, Any]]:
    """Yield the distributions that the model holds and is not given, with where they are."""
    for thing, _, path in context.held.noted.values():
        if isinstance(thing, dist.Distribution) and path.startswith("model"):
            yield tidy(path), thing


def keeps_order() -> bool:
    """Tell whether this release of NumPyro flattens a distribution in the declared order.

    Sixteen fields come back in their order by chance once in 16! times.
    """
    fields = tuple(f"field_{number}" for number in range(16))
    cls: Any = type("Sixteen", (dist.Distribution,), {"pytree_data_fields": fields})
    gathered = tuple(cls.gather_pytree_data_fields())
    return [name for name in gathered if name in fields] == list(fields)


def order(context: Context, name: str, fn: Any) -> None:
    """Hint at a distribution whose leaves come in another order in another process."""
    leaves = jax.tree.leaves(fn)
    if len(leaves) > 1 and not keeps_order():
        says = (
            f"{name}: its {len(leaves)} leaves come in an order that Python draws at each start; "
            "saved by position they are loaded exchanged"
        )
        context.hint("leaf-order", says, "", ["leaf-order", "leaf-order-compile-cache"])


def copied(fn: Any) -> Any:
    """Return a distribution as it comes out of `jit` or a loop."""
    leaves, tree = jax.tree.flatten(fn)
    return jax.tree.unflatten(tree, leaves)


def validation(context: Context, name: str, fn: Any) -> None:
    """Tell of a distribution whose copy gives a density to a value outside the support."""
    number = int if fn.support.is_discrete else float
    tried = (jnp.full(fn.shape(), number(value)) for value in OUTSIDE)
    outside = next((value for value in tried if not jnp.all(fn.support(value))), None)
    if outside is None:
        return
    try:
        here = jnp.sum(jax.jit(lambda value: fn.log_prob(value))(outside))
        there = jnp.sum(jax.jit(lambda fn, value: fn.log_prob(value))(fn, outside))
    except Exception as error:
        context.find("copy-raises", f"{name}: its copy raises {running.brief(error)}")
        return
    if np.isneginf(float(here)) and not np.isneginf(float(there)):
        value = show(outside.ravel()[0])
        says = f"{name}: the log density of {value} is -inf, and {float(there):.4g} in a copy"
        cases = ["copy-forgets-validation", "scan-forgets-validation"]
        context.find("copy-forgets-bounds", says, "", cases)


def gradient(context: Context, name: str, fn: Any) -> None:
    """Hint at a distribution whose gradient by leaf is not that by parameter."""
    names = [key for key in fn.arg_constraints if key in vars(fn)]
    at = {key: jnp.asarray(vars(fn)[key]) for key in names}
    at = {key: value for key, value in at.items() if jnp.issubdtype(value.dtype, jnp.floating)}
    rest = {key: vars(fn)[key] for key in names if key not in at}
    if not at:
        return
    try:
        value = jax.lax.stop_gradient(fn.sample(context.key(4)))
        wanted = jax.grad(lambda at: jnp.sum(type(fn)(**at, **rest).log_prob(value)))(at)
        got = jax.grad(lambda fn: jnp.sum(fn.log_prob(value)), allow_int=True)(fn)
    except Exception:
        return  # it is not built from its parameters alone
    for key, slope in wanted.items():
        by_leaf = getattr(got, key, None)
        if by_leaf is not None and not same(by_leaf, slope):
            says = (
                f"{name}: the slope of its log density by {key!r} is {show(by_leaf)} "
                f"as a leaf, and {show(slope)} as a parameter"
            )
            context.hint("leaf-gradient", says, "", ["parameter-stored-twice"])
            return
