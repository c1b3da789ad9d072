"""Variations of *A distribution returned from jit cannot be used*: a log density, outside."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpyro.distributions as dist
from jax import lax
from scipy import stats

from evidence.variation import vary

CONSTRAINTS = {"rate": dist.constraints.positive}


class Base(dist.Distribution):
    arg_constraints = CONSTRAINTS
    support = dist.constraints.positive

    def __init__(self, rate):
        self.rate, self.log_rate = rate, jnp.log(rate)
        super().__init__()

    def log_prob(self, minutes):
        return self.log_rate - self.rate * minutes


class Waiting(Base):
    pytree_aux_fields = ("log_rate",)


class AllData(Base):
    pytree_data_fields = ("log_rate",)


class Overridden(Waiting):
    """Data in the subclass, and static in its parent."""

    pytree_data_fields, pytree_aux_fields = ("log_rate",), ()


class Undeclared(Base):
    """The field is kept, and declared nowhere."""


class AtEachRead(dist.Distribution):
    arg_constraints = CONSTRAINTS
    support = dist.constraints.positive
    log_rate = property(lambda self: jnp.log(self.rate))
    log_prob = Base.log_prob

    def __init__(self, rate):
        self.rate = rate
        super().__init__()


class Module(eqx.Module):
    rate: jax.Array
    log_rate: jax.Array = eqx.field(static=True)

    def __init__(self, rate):
        self.rate, self.log_rate = rate, jnp.log(rate)

    log_prob = Base.log_prob


class DataModule(eqx.Module):
    rate: jax.Array
    log_rate: jax.Array

    __init__, log_prob = Module.__init__, Base.log_prob


def jitted(kind):
    return jax.jit(lambda rate: kind(rate))(0.5)


def filtered(kind):
    return eqx.filter_jit(lambda rate: kind(rate))(jnp.float32(0.5))


def lanes(kind):
    return jax.tree.map(lambda leaf: leaf[0], jax.vmap(lambda rate: kind(rate))(jnp.full(3, 0.5)))


def scanned(kind):
    last = lax.scan(lambda c, rate: (c, kind(rate)), 0.0, jnp.full(3, 0.5))[1]
    return jax.tree.map(lambda leaf: leaf[0], last)


def differentiated(kind):
    return jax.grad(lambda rate: (rate, kind(rate)), has_aux=True)(0.5)[1]


def direct(kind):
    return kind(jnp.float32(0.5))


def three(build, kind=Waiting, cured=AtEachRead):
    exact = stats.expon(scale=2.0).logpdf(2.0)
    return lambda: build(kind).log_prob(2.0), exact, lambda: build(cured).log_prob(2.0)


def slope(kind):
    """Give the slope of a returned object's log density with respect to the object."""
    return jax.grad(lambda law: law.log_prob(2.0))(jitted(kind)).rate


vary("jit", "UnexpectedTracerError", "holds")(lambda: three(jitted))
OLD = "UnexpectedTracerError"
vary("the slope of the object", "ValueError", "holds", then=(OLD, "holds"))(
    lambda: (lambda: slope(Waiting), 0.0, lambda: slope(AtEachRead))
)
vary("looks right: all is data; the slope", "ValueError", "falls", then=(OLD, "falls"))(
    lambda: (lambda: slope(Waiting), 0.0, lambda: slope(AllData))
)
vary("eqx.filter_jit", "UnexpectedTracerError", "holds")(lambda: three(filtered))
vary("vmap", "UnexpectedTracerError", "holds", then=("TracerArrayConversionError", "holds"))(
    lambda: three(lanes)
)
vary("scan", "UnexpectedTracerError", "holds")(lambda: three(scanned))
vary(
    "grad, as has_aux",
    "UnexpectedTracerError",
    "holds",
    then=("TracerArrayConversionError", "holds"),
)(lambda: three(differentiated))
vary("no transform", "right", "holds")(lambda: three(direct))
vary("a static field of a module", "UnexpectedTracerError", "holds")(
    lambda: three(jitted, Module, DataModule)
)
vary("all is data, and the value alone", "ValueError", "holds", then=(OLD, "holds"))(
    lambda: three(jitted, cured=AllData)
)
vary(
    "looks right: declare it nowhere",
    "ValueError",
    "AttributeError",
    then=("UnexpectedTracerError", "AttributeError"),
)(lambda: three(jitted, cured=Undeclared))
vary(
    "looks right: a subclass that declares it",
    "ValueError",
    "UnexpectedTracerError",
    then=("UnexpectedTracerError", "UnexpectedTracerError"),
)(lambda: three(jitted, cured=Overridden))
