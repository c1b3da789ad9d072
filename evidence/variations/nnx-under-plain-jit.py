"""Variations of *Under `jax.jit`, an NNX model does not train*: what a step changes in place."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx

from evidence.variation import vary

X = np.linspace(-1.0, 1.0, 9)[:, None]
Y = 0.5 * X + 0.2
RIGHT = 0.5
SGD = optax.sgd(0.5)


def loss(model, x=X):
    return jnp.mean((model(x) - Y) ** 2)


def step(model, optimizer):
    optimizer.update(model, nnx.grad(loss)(model))


def returning(model, optimizer):
    step(model, optimizer)
    return model, optimizer


def fitted(compiled, transform=SGD, again=False, steps=25):
    """Return the slope after some steps, with what a step returns in place of the old objects."""

    def slope():
        model = nnx.Linear(1, 1, rngs=nnx.Rngs(0))
        optimizer = nnx.Optimizer(model, transform, wrt=nnx.Param)
        for _ in range(steps):
            result = compiled(model, optimizer)
            model, optimizer = result if again else (model, optimizer)
        return model.kernel[0, 0]

    return slope


def split(model, optimizer):
    graph, state = nnx.split((model, optimizer))

    @jax.jit
    def pure(state):
        objects = nnx.merge(graph, state)
        step(*objects)
        return nnx.state(objects)

    nnx.update((model, optimizer), pure(state))


def three(cured, got=None):
    return got or fitted(jax.jit(step)), RIGHT, cured


vary("nnx.jit", "silent", "holds")(lambda: three(fitted(nnx.jit(step))))
vary("Adam", "silent", "holds")(
    lambda: three(
        fitted(nnx.jit(step), optax.adam(0.1), steps=200),
        fitted(jax.jit(step), optax.adam(0.1), steps=200),
    )
)
vary("the step returns the objects", "silent", "holds")(
    lambda: three(fitted(jax.jit(returning), again=True))
)
vary("split outside, merge inside", "silent", "holds")(lambda: three(fitted(split)))
vary("looks right: the step returns the objects, and they are dropped", "silent", "falls")(
    lambda: three(fitted(jax.jit(returning)))
)
vary("looks right: the optimizer alone is returned", "silent", "falls")(
    lambda: three(fitted(lambda model, o: (model, jax.jit(returning)(model, o)[1]), again=True))
)
vary("looks right: nnx.jit inside of jax.jit", "silent", "falls")(
    lambda: three(fitted(jax.jit(nnx.jit(step))))
)
vary("without jit", "right", "holds")(lambda: three(fitted(nnx.jit(step)), fitted(step)))
vary("the step closes over the model", "ValueError", "holds")(
    lambda: three(fitted(nnx.jit(step)), closed_over)
)


def closed_over():
    model = nnx.Linear(1, 1, rngs=nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, SGD, wrt=nnx.Param)
    jax.jit(lambda: step(model, optimizer))()
    return model.kernel[0, 0]


def statistics(transform):
    """Return the running mean of a normalization after some calls."""

    def mean():
        layer = nnx.BatchNorm(1, momentum=0.5, rngs=nnx.Rngs(0))
        call = transform(lambda layer, x: layer(x))
        for _ in range(20):
            call(layer, X + 3.0)
        return layer.mean[0]

    return mean


def masks(transform):
    """Return how many different masks three calls of a dropout gave."""

    def different():
        layer = nnx.Dropout(0.5, rngs=nnx.Rngs(0))
        call = transform(lambda layer, x: layer(x))
        return len({tuple(np.asarray(call(layer, jnp.ones(32)))) for _ in range(3)})

    return different


vary("running statistics", "silent", "holds")(
    lambda: (statistics(jax.jit), 3.0, statistics(nnx.jit))
)
vary("the masks of a dropout", "silent", "holds")(lambda: (masks(jax.jit), 3, masks(nnx.jit)))
vary("a counter under jax.vmap", "silent", "holds")(
    lambda: (counted(jax.vmap), 1, counted(nnx.vmap))
)


def counted(transform):
    def count():
        counter = nnx.Variable(jnp.zeros(2, int))

        def add(counter):
            counter[...] += 1

        transform(add)(counter)
        return counter[0]

    return count


vary("a model that is only read", "right", "holds")(
    lambda: (jax.jit(loss)(MODEL), loss(MODEL), nnx.jit(loss)(MODEL))
)
MODEL = nnx.Linear(1, 1, rngs=nnx.Rngs(0))


@vary("a trainer, by keyword", "silent", "holds")
def _():
    class Trainer:
        def __init__(self, jit):
            self.model = nnx.Linear(1, 1, rngs=nnx.Rngs(1))
            self.optimizer = nnx.Optimizer(self.model, SGD, wrt=nnx.Param)
            self.step = jit(step)

        def fit(self):
            for _ in range(30):
                self.step(model=self.model, optimizer=self.optimizer)
            return self.model.kernel[0, 0]

    return three(Trainer(nnx.jit).fit, Trainer(jax.jit).fit)


@vary("random numbers of a stream, a partial of jit", "silent", "holds")
def _():
    def draw(rngs, shape):
        return jax.random.normal(rngs.noise(), shape)

    def distinct(jit):
        rngs = nnx.Rngs(noise=0)
        compiled = functools.partial(jit, static_argnums=1)(draw)
        return len({float(compiled(rngs, ())) for _ in range(4)})

    return lambda: distinct(jax.jit), 4, lambda: distinct(nnx.jit)
