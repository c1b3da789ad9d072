"""Variations of *The leak checker reports nothing under grad*: leaks reported, of one."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import lax

from evidence.variation import vary

READINGS = jnp.array([2.1, 1.4, 2.3, 1.9, 2.0])


class Fit:
    def loss(self, level):
        self.residuals = READINGS - level
        return jnp.sum(self.residuals**2)


def reports(make):
    """Return 1 if the checker stops a function that keeps a tracer."""
    fit = Fit()
    try:
        with jax.checking_leaks():
            make(fit.loss)(jnp.float32(1.5))
    except Exception as error:
        return int("Leaked" in str(error))
    return 0


def three(transform, cure=jax.jit):
    return lambda: reports(transform), 1, lambda: reports(lambda loss: cure(transform(loss)))


def jvp(loss):
    return lambda level: jax.jvp(loss, (level,), (level,))


def forward_gradient(loss):
    return jax.jacfwd(loss)


def scanned(loss):
    return lambda level: lax.scan(lambda c, x: (c, loss(x)), 0.0, level[None])[1]


def hessian(loss):
    return jax.hessian(loss)


def ran_before(function):
    compiled = jax.jit(function)

    def call(level):
        with jax.checking_leaks(False):
            compiled(level)
        return compiled(level)

    return call


vary("grad", "right", "holds")(lambda: three(jax.grad))
vary("value_and_grad", "right", "holds")(lambda: three(jax.value_and_grad))
vary("vjp", "right", "holds")(lambda: three(lambda loss: lambda level: jax.vjp(loss, level)[0]))
vary("eqx.filter_grad", "right", "holds")(lambda: three(eqx.filter_grad, eqx.filter_jit))
vary("jvp", "silent", "holds", then=("right", "holds"))(lambda: three(jvp))
vary("jacfwd", "right", "holds")(lambda: three(forward_gradient))
vary("jacrev", "right", "holds")(lambda: three(jax.jacrev))
vary("hessian", "right", "holds")(lambda: three(hessian))
vary("vmap", "right", "holds")(
    lambda: three(lambda loss: lambda level: jax.vmap(loss)(level[None]))
)
vary("linearize", "right", "holds")(lambda: three(lambda loss: lambda x: jax.linearize(loss, x)[0]))
vary("scan", "right", "holds")(lambda: three(scanned))
vary("jit alone", "right", "holds")(lambda: three(jax.jit))
vary("looks right: a jit that ran before", "right", "falls")(lambda: three(jax.grad, ran_before))


KEPT = []


def _by_list(make):
    def loss(level):
        KEPT.append(jnp.sin(level))
        return KEPT[-1] ** 2

    def reported(wrap):
        KEPT.clear()
        try:
            with jax.checking_leaks():
                wrap(make(loss))(jnp.float32(1.5))
        except Exception as error:
            return int("Leaked" in str(error))
        return 0

    return lambda: reported(lambda f: f), 1, lambda: reported(jax.jit)


vary("a list of the module, a checkpoint's gradient", "right", "holds")(
    lambda: _by_list(lambda loss: jax.grad(jax.checkpoint(loss)))
)
vary("a list of the module, a gradient by keyword", "right", "holds")(
    lambda: _by_list(lambda loss: jax.grad(fun=loss, argnums=0))
)
