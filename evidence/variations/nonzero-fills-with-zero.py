"""Variations of *Under jit, an index that selects nothing selects the first element*: numbers."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from evidence.variation import vary

PAYMENTS = np.float32([70, 20, 90, 10, 60, 30])


def by_index(x, limit, size=6, find=jnp.nonzero):
    index = find(x > limit, size=size)
    return x[index[0] if isinstance(index, tuple) else index.ravel()].sum()


def by_mask(x, limit):
    return jnp.where(x > limit, x, 0).sum()


def three(wrong=by_index, cure=by_mask, x=PAYMENTS, limit=50, way=jax.jit):
    return lambda: way(wrong)(x, limit), x[x > limit].sum(), lambda: way(cure)(x, limit)


def past_the_end(x, limit):
    (index,) = jnp.nonzero(x > limit, size=x.size, fill_value=x.size)
    return x.at[index].get(mode="fill", fill_value=0).sum()


def last(x, limit):
    return x[jnp.nonzero(x > limit, size=x.size, fill_value=-1)[0]].sum()


def beyond(x, limit):
    return x[jnp.nonzero(x > limit, size=x.size, fill_value=x.size)[0]].sum()


vary("as on the page", "silent", "holds")(lambda: three())
vary("without jit", "silent", "holds")(lambda: three(way=lambda f: f))
vary("where with one argument", "silent", "holds")(
    lambda: three(lambda x, limit: by_index(x, limit, find=jnp.where))
)
vary("flatnonzero", "silent", "holds")(
    lambda: three(lambda x, limit: by_index(x, limit, find=jnp.flatnonzero))
)
vary("argwhere", "silent", "holds")(
    lambda: three(lambda x, limit: by_index(x, limit, find=jnp.argwhere))
)
vary("the size is exact", "right", "holds")(lambda: three(lambda x, limit: by_index(x, limit, 3)))
vary("the size is too small", "silent", "holds")(
    lambda: three(lambda x, limit: by_index(x, limit, 2))
)
vary("the first element is zero", "right", "holds")(
    lambda: three(x=np.append(np.float32(0), PAYMENTS[:5]))
)
vary("integers", "silent", "holds")(lambda: three(x=PAYMENTS.astype(int)))
vary("nothing is selected", "silent", "holds")(lambda: three(limit=100))
vary("an index past the end, read with a fill", "silent", "holds")(lambda: three(cure=past_the_end))
vary("sum with where", "silent", "holds")(
    lambda: three(cure=lambda x, limit: jnp.sum(x, where=x > limit))
)
vary("looks right: fill_value=-1", "silent", "falls")(lambda: three(cure=last))
vary("looks right: an index past the end, read as usual", "silent", "falls")(
    lambda: three(cure=beyond)
)


@vary("under vmap, a mean", "silent", "holds")
def lanes():
    rows = np.stack([PAYMENTS, PAYMENTS[::-1]])
    limits = np.float32([50, 15])
    wrong = lambda x, limit: x[jnp.nonzero(x > limit, size=6)[0]].mean()
    cure = lambda x, limit: jnp.mean(x, where=x > limit)
    expected = [row[row > limit].mean() for row, limit in zip(rows, limits, strict=True)]
    return lambda: jax.vmap(wrong)(rows, limits), expected, lambda: jax.vmap(cure)(rows, limits)


@vary("an update of what is selected, in a scan", "silent", "holds")
def update():
    def run(fill_value):
        def step(x, limit):
            (index,) = jnp.nonzero(x > limit, size=6, fill_value=fill_value)
            return x.at[index].add(-1.0), None

        return lambda: lax.scan(step, jnp.asarray(PAYMENTS), jnp.array([50.0, 65.0]))[0]

    x = PAYMENTS.copy()
    for limit in (50, 65):
        x[x > limit] -= 1
    return run(0), x, run(6)


@vary("unique counts a value twice", "silent", "holds")
def unique():
    x = np.array([3, 1, 3])
    wrong = lambda x: jnp.unique(x, size=3).sum()
    cure = lambda x: jnp.unique(x, size=3, fill_value=0).sum()
    return lambda: jax.jit(wrong)(x), np.unique(x).sum(), lambda: jax.jit(cure)(x)


@vary("in a module, under filter_jit", "silent", "holds")
def module():
    class Account(eqx.Module):
        payments: jax.Array

        def above(self, limit, total=by_index):
            return total(self.payments, limit)

    account = Account(jnp.asarray(PAYMENTS))
    run = eqx.filter_jit(lambda account, total: account.above(50, total))
    return lambda: run(account, by_index), 220.0, lambda: run(account, by_mask)
