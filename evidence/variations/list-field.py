"""Variations of *unhashable type: 'list' from a module in a loop*: the level at the end."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental.ode import odeint

from evidence.variation import vary


class River(eqx.Module):
    inflows: list

    def __call__(self, *args):
        return args[-1] + sum(jax.tree.leaves(self.inflows))


class StaticRiver(River):
    inflows: list = eqx.field(static=True)


def looped(f):
    return lax.while_loop(lambda level: level < 10.0, f, 0.0)


def fori(f):
    return lax.fori_loop(0, 4, f, 0.0)


def cond(f):
    return lax.cond(True, f, f, 9.0)


def scanned(f):
    return lax.scan(lambda level, _: (f(level), None), 0.0, None, length=4)[0]


def inside(f):
    return jax.jit(lambda: looped(f))()


def wrapped(f):
    return lambda *args: f(*args)


def three(run=looped, make=River, inflows=(1.0, 2.0), cure=wrapped, kind=list):
    return (
        lambda: run(make(kind(inflows))),
        12.0,
        lambda: run(cure(make(kind(inflows)))),
    )


def as_tuple(river):
    return River(tuple(river.inflows))


def nested(river):
    return River((list(river.inflows),))


def of_arrays(river):
    return River(tuple(map(jnp.float32, river.inflows)))


def of_numpy(river):
    return River(np.array(river.inflows))


def jax_partial(river):
    return jax.tree_util.Partial(River.__call__, river)


def eqx_partial(river):
    return eqx.Partial(River.__call__, river)


def as_dict(inflows):
    return dict(enumerate(inflows))


vary("while_loop", "TypeError", "holds", then=("right", "holds"))(lambda: three())
vary("fori_loop", "TypeError", "holds", then=("right", "holds"))(lambda: three(fori))
vary("cond", "TypeError", "holds", then=("right", "holds"))(lambda: three(cond))
vary("a scan that calls it", "right", "holds")(lambda: three(scanned))
vary("under jit", "TypeError", "holds", then=("right", "holds"))(lambda: three(inside))
vary("an empty list in a tuple", "TypeError", "holds", then=("right", "holds"))(
    lambda: three(inflows=(1.0, 2.0, []), kind=tuple)
)
vary("a dict", "TypeError", "holds", then=("right", "holds"))(lambda: three(kind=as_dict))
vary("a static field", "TypeError", "holds", then=("right", "holds"))(
    lambda: three(make=StaticRiver)
)
vary("the cure is a tuple", "TypeError", "holds", then=("right", "holds"))(
    lambda: three(cure=as_tuple)
)
vary("the cure is jax.tree_util.Partial", "TypeError", "holds", then=("right", "holds"))(
    lambda: three(cure=jax_partial)
)
vary("looks right: a tuple with a list in it", "TypeError", "TypeError", then=("right", "holds"))(
    lambda: three(cure=nested)
)
vary("looks right: a tuple of arrays", "TypeError", "TypeError", then=("right", "TypeError"))(
    lambda: three(cure=of_arrays)
)
vary("looks right: a NumPy array", "TypeError", "TypeError", then=("right", "TypeError"))(
    lambda: three(cure=of_numpy)
)
vary("looks right: eqx.Partial", "TypeError", "TypeError", then=("right", "holds"))(
    lambda: three(cure=eqx_partial)
)


@vary("a network of layers in odeint", "TypeError", "holds")
def _():
    class Field(eqx.Module):
        layers: list

        def __call__(self, y, t):
            for layer in self.layers:
                y = layer * y
            return y

    field = Field([jnp.float32(-1.0), jnp.float32(2.0)])
    solve = lambda f: odeint(f, jnp.float32(1.0), jnp.array([0.0, 1.0]))[1]
    return lambda: solve(field), np.exp(-2.0), lambda: solve(lambda y, t: field(y, t))


@vary("an MLP as a branch of switch, by keyword", "TypeError", "holds")
def _():
    mlp = eqx.nn.MLP(in_size=2, out_size=2, width_size=3, depth=1, key=jax.random.PRNGKey(0))
    x = jnp.ones(2)
    pick = lambda branches: lax.switch(1, branches, x)
    same = lambda x: x
    return lambda: pick([same, mlp]), mlp(x), lambda: pick([same, lambda x: mlp(x)])
