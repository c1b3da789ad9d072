"""Variations of *Tracer hashing*.

A loop whose function holds a tracer; the cure is a lambda around it.
"""

import dataclasses
import functools

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import lax

from evidence.variation import vary


@dataclasses.dataclass(frozen=True)
class Add:
    amount: jax.Array

    def __call__(self, *args):
        return args[-1] + self.amount


@dataclasses.dataclass(frozen=True, eq=False)
class AddByIdentity:
    amount: jax.Array
    __call__ = Add.__call__


class Module(eqx.Module):
    amount: jax.Array
    __call__ = add = Add.__call__


def plus(amount, x):
    return x + amount


def wrapped(make):
    def cured(amount):
        f = make(amount)
        return lambda *args: f(*args)

    return cured


def three(loop, make=Add, exact=3.0, outer=jax.jit, cure=wrapped):
    run = lambda make: outer(lambda amount: loop(make(amount)))(jnp.float32(1.0))
    return lambda: run(make), exact, lambda: run(cure(make))


def looped(f):
    return lax.while_loop(lambda y: y < 3.0, f, 0.0)


def fori(f):
    return lax.fori_loop(0, 3, f, 0.0)


def cond(f):
    return lax.cond(True, f, f, 2.0)


def mapped(f):
    return lax.map(f, jnp.full(2, 2.0))[0]


def by_grad(f):
    return jax.grad(lambda amount: looped_steps(amount))(1.0)


def looped_steps(amount):
    return lax.fori_loop(0, 3, wrapped(Add)(amount), 0.0)


# Up to JAX 0.4.35 a warning, and not an error.
OLD = ("right", "holds")
vary("while_loop, a frozen dataclass", "TypeError", "holds", then=OLD)(lambda: three(looped))
vary("a module of Equinox", "TypeError", "holds", then=OLD)(lambda: three(looped, Module))
vary("fori_loop", "TypeError", "holds", then=OLD)(lambda: three(fori))
vary("cond", "TypeError", "holds", then=OLD)(lambda: three(cond))
vary("checkpoint", "TypeError", "holds", then=OLD)(lambda: three(lambda f: jax.checkpoint(f)(2.0)))
vary("lax.map only calls", "right", "holds")(lambda: three(mapped))
vary("vmap only calls", "right", "holds")(lambda: three(lambda f: jax.vmap(f)(jnp.full(2, 2.0))[0]))
vary("a partial, compared by identity", "right", "holds")(
    lambda: three(looped, lambda amount: functools.partial(plus, amount))
)
vary("eq=False as the cure", "right", "holds")(lambda: three(looped, AddByIdentity))
vary("under grad, the lambda holds", "right", "holds")(
    lambda: (lambda: by_grad(None), 3.0, lambda: by_grad(None))
)


@dataclasses.dataclass(frozen=True)
class HashById:
    amount: jax.Array
    __call__ = Add.__call__

    def __hash__(self):
        return id(self)


def tried(cure, make=Add):
    """`cure` makes of an amount the function to try."""
    return three(looped, make, cure=lambda _: cure)


vary("a hash of the id, equal by the field", "TypeError", "holds", then=OLD)(
    lambda: tried(HashById)
)
vary("the cure is the bound method", "TypeError", "holds", then=OLD)(
    lambda: tried(lambda amount: Add(amount).__call__)
)
vary("the cure is jax.tree_util.Partial", "TypeError", "holds", then=OLD)(
    lambda: tried(lambda amount: jax.tree_util.Partial(plus, amount))
)
vary("looks right: a module's bound method", "TypeError", "TypeError", then=OLD)(
    lambda: tried(lambda amount: Module(amount).add, Module)
)
vary("looks right: eqx.Partial", "TypeError", "TypeError", then=OLD)(
    lambda: tried(lambda amount: eqx.Partial(plus, amount))
)
BOOL = ("right", "TracerBoolConversionError")
vary("looks right: jax.jit of the module", "TypeError", "TypeError", then=BOOL)(
    lambda: tried(lambda amount: jax.jit(Module(amount)), Module)
)
vary("looks right: jax.checkpoint of the module", "TypeError", "TypeError", then=OLD)(
    lambda: tried(lambda amount: jax.checkpoint(Module(amount)), Module)
)
vary("looks right: a partial of jax.jit of it", "TypeError", "TypeError", then=BOOL)(
    lambda: tried(lambda amount: functools.partial(jax.jit(Module(amount))), Module)
)
vary("looks right: eqx.filter_jit of the module", "TypeError", "TypeError", then=OLD)(
    lambda: tried(lambda amount: eqx.filter_jit(Module(amount)), Module)
)
