"""Variations of *A Python loop inside jit*: by how much four times the steps lengthen a program."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from evidence.variation import vary


def lines(function, *arguments):
    return jax.jit(function).lower(*arguments).as_text().count("\n")


def growth(make, n=10, *arguments):
    """How much longer the program of `make(4 n)` is than that of `make(n)`, to the whole."""
    arguments = arguments or (jnp.ones(3),)
    return lambda: round(lines(make(4 * n), *arguments) / lines(make(n), *arguments))


def python(n):
    def run(x):
        for _ in range(n):
            x = x + 0.1 * jnp.sin(x)
        return x

    return run


def fori(n):
    return lambda x: lax.fori_loop(0, n, lambda i, x: x + 0.1 * jnp.sin(x), x)


def scan(n, **options):
    step = lambda x, _: (x + 0.1 * jnp.sin(x), None)
    return lambda x: lax.scan(step, x, length=n, **options)[0]


def slope(make):
    return lambda n: jax.grad(lambda x: make(n)(x).sum())


def layers(stacked):
    def make(n):
        if stacked:
            weights = np.ones((n, 3, 3), np.float32) / 3
            return lambda x: lax.scan(lambda x, w: (jnp.tanh(w @ x), None), x, weights)[0]
        each = [np.ones((3, 3), np.float32) / 3 for _ in range(n)]

        def run(x):
            for w in each:
                x = jnp.tanh(w @ x)
            return x

        return run

    return make


def carried(array):
    def make(n):
        start = jnp.ones(n) if array else [jnp.ones(())] * n
        step = lambda c, _: (jax.tree.map(jnp.cos, c), None)
        return lambda x: lax.scan(step, start, length=5)

    return make


class Walk(eqx.Module):
    steps: int = eqx.field(static=True)
    loop: bool = eqx.field(static=True)

    def __call__(self, x):
        return (fori if self.loop else python)(self.steps)(x)


vary("as on the page", "silent", "holds")(lambda: (growth(python), 1, growth(fori)))
vary("a scan", "silent", "holds")(lambda: (growth(python), 1, growth(scan)))
vary("under vmap", "silent", "holds")(
    lambda: (
        growth(lambda n: jax.vmap(python(n))),
        1,
        growth(lambda n: jax.vmap(fori(n))),
    )
)
vary("a gradient", "silent", "holds")(lambda: (growth(slope(python)), 1, growth(slope(scan))))
vary("a module", "silent", "holds")(
    lambda: (growth(lambda n: Walk(n, False)), 1, growth(lambda n: Walk(n, True)))
)
vary("layers", "silent", "holds")(lambda: (growth(layers(False)), 1, growth(layers(True))))
vary("scalars in the carry", "silent", "holds")(
    lambda: (growth(carried(False), 40), 1, growth(carried(True), 40))
)
vary("a reduce over a list", "silent", "holds")(
    lambda: (
        growth(lambda n: lambda x: sum(jnp.sin(i * x) for i in range(n))),
        1,
        growth(lambda n: lambda x: jax.vmap(lambda i: jnp.sin(i * x))(jnp.arange(n)).sum(0)),
    )
)
vary("looks right: jit around the step", "silent", "falls")(
    lambda: (growth(python), 1, growth(lambda n: lambda x: _jitted(n, x)))
)
vary("looks right: a scan that is unrolled", "silent", "falls")(
    lambda: (growth(python), 1, growth(lambda n: scan(n, unroll=n)))
)


def _jitted(n, x):
    step = jax.jit(lambda x: x + 0.1 * jnp.sin(x))
    for _ in range(n):
        x = step(x)
    return x


def _constant(passed):
    """Whether the text of the program grows with the table."""
    tables = [np.arange(n, dtype=np.float32) for n in (4000, 1000)]
    texts = []
    for table in tables:
        if passed:
            texts.append(jax.jit(lambda x, t: x * t).lower(1.0, table).as_text())
        else:
            texts.append(jax.jit(lambda x, t=table: x * t).lower(1.0).as_text())
    return round(len(texts[0]) / len(texts[1]))


vary("a table from outside", "silent", "holds")(
    lambda: (lambda: _constant(False), 1, lambda: _constant(True))
)
