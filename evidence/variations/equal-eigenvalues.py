"""Variations of *The gradient of eigh or svd is NaN where eigenvalues are equal*: slopes."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from evidence.variation import vary

jax.config.update("jax_disable_most_optimizations", True)
WANTED = np.array([[1.0, 0.2, 0.0], [0.2, 1.5, 0.4], [0.0, 0.4, 2.0]])
EQUAL = np.diag([4.0, 4.0, 1.0])


def root(a, np=jnp):
    values, vectors = np.linalg.eigh((a + a.T) / 2)
    return (vectors * np.sqrt(values)) @ vectors.T


@jax.custom_jvp
def safe_root(a):
    return root(a)


@safe_root.defjvp
def _(primals, tangents):
    values, vectors = jnp.linalg.eigh(primals[0])
    roots = jnp.sqrt(values)
    turned = vectors.T @ (tangents[0] + tangents[0].T) @ vectors / 2
    moved = turned / (roots[:, None] + roots[None, :])
    return safe_root(primals[0]), vectors @ moved @ vectors.T


@jax.custom_jvp
def safe_log(a):
    values, vectors = jnp.linalg.eigh(a)
    return (vectors * jnp.log(values)) @ vectors.T


@safe_log.defjvp
def _(primals, tangents):
    values, vectors = jnp.linalg.eigh(primals[0])
    gap, logs = values[:, None] - values[None, :], jnp.log(values)
    equal = jnp.abs(gap) < 1e-4
    factor = (logs[:, None] - logs[None, :]) / jnp.where(equal, 1.0, gap)
    factor = jnp.where(equal, 1.0 / values[:, None], factor)
    turned = vectors.T @ (tangents[0] + tangents[0].T) @ vectors / 2
    return safe_log(primals[0]), vectors @ (factor * turned) @ vectors.T


def log(a, np=jnp):
    values, vectors = np.linalg.eigh((a + a.T) / 2)
    return (vectors * np.log(values)) @ vectors.T


def by_svd(a):
    left, values, right = jnp.linalg.svd(a, full_matrices=False)
    return (left * jnp.sqrt(values)) @ right


def loss(function):
    return lambda a: ((function(a) - WANTED) ** 2).sum()


def slopes(a, function=root, h=1e-5):
    of = lambda a: ((function(a, np) - WANTED) ** 2).sum()
    steps = h * np.eye(9).reshape(9, 3, 3)
    return np.reshape([(of(a + step) - of(a - step)) / (2 * h) for step in steps], (3, 3))


def three(a=EQUAL, wrong=root, cure=safe_root, by_numpy=root, way=jax.grad):
    short = jnp.float32(a)
    expected = slopes(a, by_numpy)
    return lambda: way(loss(wrong))(short), expected, lambda: way(loss(cure))(short)


def in_scan(of):
    def step(a, _):
        return a, jax.grad(of)(a)

    return lambda a: lax.scan(step, a, None, length=2)[1][-1]


def in_float64(of):
    def gradient(a):
        jax.config.update("jax_enable_x64", True)
        try:
            return jax.grad(of)(jnp.asarray(np.float64(a)))
        finally:
            jax.config.update("jax_enable_x64", False)

    return gradient


def lanes(of):
    return lambda a: jax.vmap(jax.grad(of))(jnp.stack([a, a]))[1]


def jittered(a):
    return root(a + 1e-6 * jnp.eye(3))


def shaken(a):
    return root(a + jnp.diag(jnp.array([0.0, 1e-6, 2e-6])))


def hidden(a):
    found = root(a)
    return jnp.where(jnp.isfinite(found), found, 0.0)


vary("as on the page", "silent", "holds")(lambda: three())
vary("the identity", "silent", "holds")(lambda: three(np.eye(3)))
vary("under jit", "silent", "holds")(lambda: three(way=lambda of: jax.jit(jax.grad(of))))
vary("forward mode", "silent", "holds")(lambda: three(way=jax.jacfwd))
vary("under vmap", "silent", "holds")(lambda: three(way=lanes))
vary("in a scan", "silent", "holds")(lambda: three(way=in_scan))
vary("by svd", "silent", "holds")(lambda: three(wrong=by_svd))
vary("a logarithm; the cure masks equal pairs", "silent", "holds")(
    lambda: three(wrong=log, cure=safe_log, by_numpy=log)
)
vary("three different eigenvalues are right", "right", "holds")(
    lambda: three(np.diag([4.0, 2.0, 1.0]))
)


@vary("a trace; the cure is eigvalsh", "silent", "holds")
def trace():
    wrong = lambda a: jnp.trace(root(a))
    cure = lambda a: jnp.sqrt(jnp.linalg.eigvalsh(a)).sum()
    a = 4 * jnp.eye(3)
    return lambda: jax.grad(wrong)(a), np.eye(3) / 4, lambda: jax.grad(cure)(a)


vary("looks right: a multiple of the identity added", "silent", "falls")(
    lambda: three(cure=jittered)
)
vary("looks right: eigenvalues a millionth apart", "silent", "falls")(lambda: three(cure=shaken))
vary("looks right: a `where` around the root", "silent", "falls")(lambda: three(cure=hidden))
vary("looks right: float64", "silent", "falls")(lambda: three(cure=root, way=in_float64))


@vary("draws of a batch of covariances; Cholesky", "silent", "holds")
def _():
    spread = np.float32([[2.0, 1.0], [1.0, 3.0]])
    batch = np.stack([np.eye(2), 4 * np.eye(2)]).astype("float32")

    def by_eigh(a):
        values, vectors = jnp.linalg.eigh(a, symmetrize_input=True)
        return vectors * jnp.sqrt(values)

    def slopes(factor):
        noise = jnp.eye(2)  # draws that have exactly this covariance
        loss = lambda a: jnp.sum((factor(a) @ noise @ factor(a).T) * spread)
        return jax.vmap(jax.grad(loss))(batch)

    return lambda: slopes(by_eigh), [spread, spread], lambda: slopes(jnp.linalg.cholesky)


def safe_function(f, slope, near):
    safe = jax.custom_jvp(lambda a: by_eigh(a, f))

    @safe.defjvp
    def rule(primals, tangents):
        values, vectors = jnp.linalg.eigh(primals[0])
        x, y = values[:, None], values[None]
        same = abs(x - y) <= near * (abs(x) + abs(y))
        factor = (f(x) - f(y)) / jnp.where(same, 1.0, x - y)
        factor = jnp.where(same, slope((x + y) / 2), factor)
        turned = vectors.T @ (tangents[0] + tangents[0].T) @ vectors / 2
        return safe(primals[0]), vectors @ (factor * turned) @ vectors.T

    return safe


def by_eigh(a, f, np=jnp):
    values, vectors = np.linalg.eigh((a + a.T) / 2)
    return (vectors * f(values)) @ vectors.T


def rotated(f, by_numpy, slope, near):
    """A hundred matrices with two eigenvalues of 4, which `eigh` finds a rounding error apart."""
    turns = np.linalg.qr(np.random.default_rng(0).normal(size=(100, 3, 3)))[0]
    batch = (turns * [4.0, 4.0, 1.0]) @ turns.transpose(0, 2, 1)
    expected = [slopes(a, lambda a, np: by_eigh(a, by_numpy, np)) for a in batch]
    each = lambda of: lambda: jax.jit(jax.vmap(jax.grad(loss(of))))(jnp.float32(batch))
    return each(lambda a: by_eigh(a, f)), expected, each(safe_function(f, slope, near))


vary("a logarithm, turned; close eigenvalues are taken as equal", "silent", "holds")(
    lambda: rotated(jnp.log, np.log, lambda x: 1 / x, 1e-3)
)
vary("an exponential, turned", "silent", "holds")(lambda: rotated(jnp.exp, np.exp, jnp.exp, 1e-3))
vary("looks right: a logarithm, turned; only equal ones are", "silent", "falls")(
    lambda: rotated(jnp.log, np.log, lambda x: 1 / x, 0.0)
)


@jax.custom_jvp
def root_again(a):
    return root(a)


@root_again.defjvp
def _(primals, tangents):
    found, same = root_again(primals[0]), jnp.eye(3)
    moves = jnp.kron(found, same) + jnp.kron(same, found)
    moved = jnp.linalg.solve(moves, (tangents[0] + tangents[0].T).ravel() / 2)
    return found, moved.reshape(3, 3)


def curvature(cure):
    h, steps = 1e-3, 1e-3 * np.eye(9).reshape(9, 3, 3)
    expected = [(slopes(EQUAL + step) - slopes(EQUAL - step)) / (2 * h) for step in steps]
    second = lambda of: lambda: jax.jit(jax.hessian(loss(of)))(jnp.float32(EQUAL)).reshape(9, 3, 3)
    return second(root), expected, second(cure)


vary("a second derivative; the rule solves for the root", "silent", "holds")(
    lambda: curvature(root_again)
)
vary("looks right: a second derivative of the page's rule", "silent", "falls")(
    lambda: curvature(safe_root)
)


@vary("an inverse root in a class; the general rule", "silent", "holds")
def _():
    class Whiten:
        def __call__(self, a, np=jnp):
            values, vectors = np.linalg.eigh(a)
            return (vectors / np.sqrt(values)) @ vectors.T

    whiten = Whiten()
    safe = jax.custom_jvp(lambda a: whiten(a))

    @safe.defjvp
    def rule(primals, tangents):
        values, vectors = jnp.linalg.eigh(primals[0])
        f, x, y = values**-0.5, values[:, None], values[None]
        same = x == y
        factor = jnp.where(same, -0.5 * x**-1.5, (f[:, None] - f) / jnp.where(same, 1.0, x - y))
        turned = vectors.T @ tangents[0] @ vectors
        return whiten(primals[0]), vectors @ (factor * turned) @ vectors.T

    a, move = np.diag([4.0, 4.0, 1.0]), np.ones((3, 3))
    along = lambda root: jax.jit(lambda a: jax.jvp(root, (a,), (move,))[1])(a)
    h = 1e-5
    expected = (whiten(a + h * move, np) - whiten(a - h * move, np)) / (2 * h)
    return lambda: along(whiten), expected, lambda: along(safe)
