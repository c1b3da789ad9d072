"""Variations of *NumPy cannot read a value, although nothing is traced*: the largest residual."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from evidence.variation import vary

READINGS = np.float32([2.1, 1.4, 2.3, 1.9, 2.0])


class Fit:
    def __init__(self, keep=lambda residuals: residuals):
        self.keep = keep

    def loss(self, level):
        self.residuals = self.keep(READINGS - level)
        return jnp.sum((READINGS - level) ** 2)


class Listed(Fit):
    residuals = property(lambda self: self.kept[-1])

    def loss(self, level):
        self.kept = []
        self.kept.append(READINGS - level)
        return jnp.sum(self.kept[-1] ** 2)


class Callback(Fit):
    def loss(self, level):
        residuals = READINGS - level
        jax.debug.callback(lambda value: setattr(self, "residuals", np.asarray(value)), residuals)
        return jnp.sum(residuals**2)


def largest(values):
    return np.abs(np.asarray(values)).max()


def by_max(values):
    return max(abs(float(value)) for value in values)


def kept(run, kind=Fit, read=largest, **options):
    fit = kind(**options)
    run(fit.loss)
    jax.effects_barrier()
    return read(fit.residuals)


def returned(run):
    """The cure: residuals as a part of what is returned."""

    def loss(level):
        residuals = READINGS - level
        return jnp.sum(residuals**2), residuals

    return largest(run(loss))


def three(run, cured, read=largest, **options):
    exact = max(abs(reading - 1.5) for reading in READINGS.tolist())
    return lambda: kept(run, read=read, **options), exact, cured


def of_jit():
    return returned(lambda loss: jax.jit(loss)(1.5)[1])


def of_grad():
    return returned(lambda loss: jax.grad(loss, has_aux=True)(1.5)[1])


def of_lanes():
    return returned(lambda loss: jax.vmap(loss)(jnp.full(2, 1.5))[1])


def of_scan():
    return returned(lambda loss: lax.scan(lambda c, x: (c, loss(x)), 0.0, jnp.full(1, 1.5))[1][1])


def jit(loss):
    jax.jit(loss)(1.5)


def grad(loss):
    jax.grad(loss)(1.5)


def lanes(loss):
    jax.vmap(loss)(jnp.full(2, 1.5))


def scan(loss):
    lax.scan(lambda c, x: (c, loss(x)), 0.0, jnp.full(1, 1.5))


def plain(loss):
    loss(1.5)


def instead(kind=Fit, **options):
    """Another way to keep, tried as a cure."""
    return lambda: kept(jit, kind, **options)


vary("jit, read by NumPy", "TracerArrayConversionError", "holds")(lambda: three(jit, of_jit))
vary("read by float", "UnexpectedTracerError", "holds")(lambda: three(jit, of_jit, by_max))
vary("read by jax.numpy", "UnexpectedTracerError", "holds")(
    lambda: three(jit, of_jit, lambda x: jnp.abs(x).max())
)
vary("kept in a list", "TracerArrayConversionError", "holds")(
    lambda: three(jit, of_jit, kind=Listed)
)
vary("grad", "TracerArrayConversionError", "holds")(lambda: three(grad, of_grad))
vary("vmap", "TracerArrayConversionError", "holds")(lambda: three(lanes, of_lanes))
vary("scan", "TracerArrayConversionError", "holds")(lambda: three(scan, of_scan))
vary("no transform", "right", "holds")(lambda: three(plain, of_jit))
vary("the cure is jax.debug.callback", "TracerArrayConversionError", "holds")(
    lambda: three(jit, instead(Callback))
)
vary("looks right: keep a copy", "TracerArrayConversionError", "TracerArrayConversionError")(
    lambda: three(jit, instead(keep=jnp.copy))
)
vary(
    "looks right: np.asarray when it is kept",
    "TracerArrayConversionError",
    "TracerArrayConversionError",
)(lambda: three(jit, instead(keep=np.asarray)))
vary("looks right: stop_gradient", "TracerArrayConversionError", "TracerArrayConversionError")(
    lambda: three(jit, instead(keep=lax.stop_gradient))
)
vary("looks right: jax.device_get", "TracerArrayConversionError", "TracerArrayConversionError")(
    lambda: three(jit, instead(keep=jax.device_get))
)


@vary("a dict of the module; an if reads it", "UnexpectedTracerError", "holds")
def _():
    seen = {}

    @jax.jit
    def loss(level):
        seen["largest"] = jnp.abs(READINGS - level).max()
        return jnp.sum((READINGS - level) ** 2)

    @jax.jit
    def returning(level):
        return jnp.sum((READINGS - level) ** 2), {"largest": jnp.abs(READINGS - level).max()}

    def warned(level):
        loss(level)
        return 1.0 if seen["largest"] > 0.5 else 0.0

    return lambda: warned(1.5), 1.0, lambda: 1.0 if returning(1.5)[1]["largest"] > 0.5 else 0.0


@vary("the aux of value_and_grad, in a fori_loop", "TracerArrayConversionError", "holds")
def _():
    class Trainer:
        def step(self, _, level):
            loss = lambda level: (jnp.sum((READINGS - level) ** 2), READINGS - level)
            (_, self.residuals), slope = jax.value_and_grad(loss, has_aux=True)(level)
            return level - 0.01 * slope

        def fit(self):
            level = lax.fori_loop(0, 2, self.step, 1.5)
            return largest(self.residuals) + 0 * level

        def returned(self):
            def step(_, carry):
                level = self.step(None, carry[0])
                return level, self.residuals

            return largest(lax.fori_loop(0, 2, step, (1.5, jnp.zeros(5)))[1])

    level = 1.5 - 0.01 * (-2 * (READINGS - 1.5).sum())
    return lambda: Trainer().fit(), np.abs(READINGS - level).max(), lambda: Trainer().returned()
