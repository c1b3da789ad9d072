"""Variations of *With complex parameters, gradient descent goes the wrong way*: where it ends."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from evidence.variation import vary

GOAL = np.array([1 + 2j, -1 + 1j, 0.5 - 1j], np.complex64)


def loss(z, goal=GOAL):
    return jnp.sum(jnp.abs(z - goal) ** 2)


def descend(gradient, z, steps=20, rate=0.05):
    for _ in range(steps):
        z = jax.tree.map(lambda z, slope: z - rate * slope, z, gradient(z))
    return z


def by_hand(goal=GOAL, steps=20, rate=0.05):
    return goal * (1 - (1 - 2 * rate) ** steps)


def conjugate(gradient):
    return lambda z: jax.tree.map(jnp.conj, gradient(z))


def three(of=loss, goal=GOAL, way=jax.grad, cure=conjugate):
    start = jnp.zeros_like(goal)
    return (
        lambda: descend(way(of), start),
        by_hand(goal),
        lambda: descend(cure(way(of)), start),
    )


def squares(z):
    return jnp.sum((z.real - GOAL.real) ** 2 + (z.imag - GOAL.imag) ** 2)


def product(z):
    away = z - GOAL
    return jnp.sum(away * jnp.conj(away)).real


vary("as on the page", "silent", "holds")(lambda: three())
vary("under jit", "silent", "holds")(lambda: three(way=lambda of: jax.jit(jax.grad(of))))
vary("from the real and the imaginary part", "silent", "holds")(lambda: three(squares))
vary("a product with the conjugate", "silent", "holds")(lambda: three(product))
vary("value_and_grad", "silent", "holds")(
    lambda: three(way=lambda of: lambda z: jax.value_and_grad(of)(z)[1])
)
vary("filter_grad", "silent", "holds")(lambda: three(way=eqx.filter_grad))
vary("a matrix", "silent", "holds")(
    lambda: three(lambda z: loss(z, GOAL.reshape(1, 3)), GOAL.reshape(1, 3))
)
vary("a real goal from a real start is right", "right", "holds")(
    lambda: three(lambda z: loss(z, GOAL.real + 0j), GOAL.real.astype(np.complex64))
)
vary("looks right: the real part of the gradient", "silent", "falls")(
    lambda: three(cure=lambda gradient: lambda z: gradient(z).real)
)


@vary("one of the parameters of a tree is complex", "silent", "holds")
def tree():
    def of(tree):
        return loss(tree["z"]) + jnp.sum((tree["x"] - 2.0) ** 2)

    start = {"z": jnp.zeros(3, complex), "x": jnp.zeros(3)}
    flat = lambda tree: jnp.concatenate([tree["z"], tree["x"]])
    expected = np.concatenate([by_hand(), by_hand(np.full(3, 2.0))])
    return (
        lambda: flat(descend(jax.grad(of), start)),
        expected,
        lambda: flat(descend(conjugate(jax.grad(of)), start)),
    )


@vary("in a scan", "silent", "holds")
def scan():
    def run(gradient):
        step = lambda z, _: (z - 0.05 * gradient(z), None)
        return lambda: lax.scan(step, jnp.zeros(3, jnp.complex64), None, length=20)[0]

    return run(jax.grad(loss)), by_hand(), run(conjugate(jax.grad(loss)))


@vary("under vmap", "silent", "holds")
def lanes():
    goals = jnp.stack([GOAL, -GOAL])
    run = lambda turn: (
        lambda goal: descend(turn(jax.grad(lambda z: loss(z, goal))), jnp.zeros(3, jnp.complex64))
    )
    return (
        lambda: jax.vmap(run(lambda gradient: gradient))(goals),
        np.stack([by_hand(), by_hand(-GOAL)]),
        lambda: jax.vmap(run(conjugate))(goals),
    )


@vary("two real arrays instead", "silent", "holds")
def pair():
    of = lambda pair: loss(pair[0] + 1j * pair[1])
    join = lambda pair: pair[0] + 1j * pair[1]
    start = (jnp.zeros(3), jnp.zeros(3))
    return (
        lambda: descend(jax.grad(loss), jnp.zeros(3, complex)),
        by_hand(),
        lambda: join(descend(jax.grad(of), start)),
    )


@vary("looks right: holomorphic=True", "silent", "TypeError")
def holomorphic():
    whole = jax.grad(loss, holomorphic=True)
    start = jnp.zeros(3, complex)
    return lambda: descend(jax.grad(loss), start), by_hand(), lambda: descend(whole, start)
