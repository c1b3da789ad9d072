"""Variations of *`validate_args` on one side of a loop only*: the location at the end."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from jax import lax

from evidence.variation import vary

READINGS = np.float32([1.0, 0.5, 2.0])


def normal(loc, **options):
    return dist.Normal(loc, jnp.float32(1.0), **options)


def correlated(loc, **options):
    return dist.MultivariateNormal(loc * jnp.ones(2), scale_tril=jnp.eye(2), **options)


def scanned(step, start, readings):
    return lax.scan(lambda belief, x: (step(belief, x), None), start, readings)[0]


def fori(step, start, readings):
    values = jnp.asarray(readings)
    return lax.fori_loop(0, len(values), lambda n, belief: step(belief, values[n]), start)


def looped(step, start, readings):
    values = jnp.asarray(readings)
    below = lambda state: state[0] < len(values)
    advance = lambda state: (state[0] + 1, step(state[1], values[state[0]]))
    return lax.while_loop(below, advance, (0, start))[1]


def branches(step, start, readings):
    return lax.cond(True, lambda b: step(b, readings.sum()), lambda b: b, start)


def three(first, then, loop=scanned, make=normal, readings=READINGS, **options):
    """`first` and `then` are `validate_args` before the loop and in it; None: left out."""

    def location(first, then, make_next=None):
        keep = lambda flag: {} if flag is None else {"validate_args": flag}
        start = make(jnp.float32(0.0), **keep(first))
        again = make_next or (lambda b, loc: make(loc, **keep(then)))
        step = lambda belief, x: again(belief, jnp.max(belief.loc) + x)
        return jnp.max(loop(step, start, readings).loc)

    cure = options.get("cure", lambda location: location(first, first))
    return lambda: location(first, then), readings.sum(), lambda: cure(location)


def enabled(location):
    with numpyro.validation_enabled():
        return location(True, None)


def copied(location):
    """The step edits the leaves, and so keeps what is static."""
    return location(True, None, lambda belief, loc: replaced(belief, loc))


def replaced(belief, loc):
    leaves, tree = jax.tree.flatten(belief)
    return jax.tree.unflatten(tree, [loc if leaf is belief.loc else leaf for leaf in leaves])


def both_false(location):
    return location(False, False)


vary("True, then left out", "TypeError", "holds")(lambda: three(True, None))
vary("left out, then True", "TypeError", "holds")(lambda: three(None, True))
vary("False, then left out", "TypeError", "holds")(lambda: three(False, None))
vary("True, then False", "TypeError", "holds")(lambda: three(True, False))
vary("one reading", "TypeError", "holds")(lambda: three(True, None, readings=READINGS[:1]))
vary("fori_loop", "TypeError", "holds")(lambda: three(True, None, fori))
vary("while_loop", "TypeError", "holds")(lambda: three(True, None, looped))
vary("cond", "TypeError", "holds")(lambda: three(True, None, branches))
vary("MultivariateNormal", "TypeError", "holds")(lambda: three(True, None, make=correlated))
vary("True on both sides", "right", "holds")(lambda: three(True, True))
vary("the cure is False on both", "TypeError", "holds")(lambda: three(True, None, cure=both_false))
vary("the cure edits the leaves", "TypeError", "holds")(lambda: three(True, None, cure=copied))
vary("looks right: validation_enabled around", "TypeError", "TypeError")(
    lambda: three(True, None, cure=enabled)
)


@vary("the average of two of them", "ValueError", "holds")
def _():
    strict = dist.Gamma(concentration=2.0, rate=1.0, validate_args=True)

    def average(**flag):
        other = dist.Gamma(concentration=4.0, rate=3.0, **flag)
        return jax.tree_util.tree_map(lambda x, y: (x + y) / 2, strict, other).rate

    return lambda: average(), 2.0, lambda: average(validate_args=True)


@vary("a branch of switch in a class, under jit", "TypeError", "holds")
def _():
    class Belief:
        def __init__(self, flag):
            self.flag = flag

        def wide(self):
            return dist.Laplace(0.0, 2.0, validate_args=self.flag)

        def narrow(self):
            return dist.Laplace(0.0, scale=0.5, validate_args=True)

        def pick(self, index):
            return jax.jit(lambda i: lax.switch(i, [self.wide, self.narrow]).scale)(index)

    return lambda: Belief(None).pick(1), 0.5, lambda: Belief(True).pick(1)
