"""Variations of *A parameter that is stored twice has no gradient*: slopes of a log density."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import numpyro.distributions as dist

from evidence.variation import vary


def three(make, exact, name="scale", x=3.0, grad=jax.grad, cure=None, **values):
    """`exact` is the slope by hand, with respect to the parameter `name`."""
    values = values or {"scale": 2.0}

    def through_object():
        slopes = grad(lambda distribution: distribution.log_prob(x).sum())(make(**values))
        return jnp.sum(getattr(slopes, name))

    def inside():
        of = lambda value: make(**{**values, name: value}).log_prob(x).sum()
        return jax.grad(of)(values[name])

    return through_object, exact, cure or inside


def forward(function):
    """Return the slopes of all leaves in forward mode, each for itself."""

    def slopes(tree):
        leaves, shape = jax.tree.flatten(tree)
        units = np.eye(len(leaves), dtype=np.float32)
        each = lambda unit: jax.jvp(
            lambda *leaves: function(jax.tree.unflatten(shape, leaves)),
            tuple(map(jnp.float32, leaves)),
            tuple(unit),
        )[1]
        return jax.tree.unflatten(shape, [each(unit) for unit in units])

    return slopes


def jitted(function):
    return jax.jit(jax.grad(function))


def only_scale():
    """Differentiate one leaf that `tree_at` puts in place."""
    where = lambda d: d.scale
    of = lambda s: eqx.tree_at(where, dist.HalfNormal(2.0), s).log_prob(3.0)
    return jax.grad(of)(2.0)


HALF = 3.0**2 / 2.0**3 - 1 / 2.0
CAUCHY = 2 * 3.0**2 / (2.0 * (2.0**2 + 3.0**2)) - 1 / 2.0
LOG = (np.log(3.0) ** 2 / 2.0**2 - 1) / 2.0
BETA = np.log(0.6) + 1 / 2 + 1 / 3 + 1 / 4  # digamma(5) - digamma(2)
vary("HalfNormal", "silent", "holds")(lambda: three(dist.HalfNormal, HALF))
vary("another scale and value", "silent", "holds")(
    lambda: three(dist.HalfNormal, 4.0 / 0.125 - 2.0, x=2.0, scale=0.5)
)
vary("an array of scales", "silent", "holds")(
    lambda: (
        jax.grad(lambda d: d.log_prob(3.0).sum())(dist.HalfNormal(jnp.full(2, 2.0))).scale,
        [HALF, HALF],
        jax.grad(lambda s: dist.HalfNormal(s).log_prob(3.0).sum())(jnp.full(2, 2.0)),
    )
)
vary("HalfCauchy", "silent", "holds")(lambda: three(dist.HalfCauchy, CAUCHY))
vary("LogNormal", "silent", "holds")(lambda: three(dist.LogNormal, LOG, loc=0.0, scale=2.0))
vary("Beta", "silent", "holds")(
    lambda: three(dist.Beta, BETA, "concentration1", 0.6, concentration1=2.0, concentration0=3.0)
)
vary("Normal, stored once", "right", "holds")(lambda: three(dist.Normal, HALF, loc=0.0, scale=2.0))
vary("under jit", "silent", "holds")(lambda: three(dist.HalfNormal, HALF, grad=jitted))
vary("forward mode", "silent", "holds")(lambda: three(dist.HalfNormal, HALF, grad=forward))
vary("eqx.filter_grad", "silent", "holds")(
    lambda: three(dist.HalfNormal, HALF, grad=eqx.filter_grad, scale=jnp.float32(2.0))
)
vary("looks right: only the leaf, by tree_at", "silent", "falls")(
    lambda: three(dist.HalfNormal, HALF, cure=only_scale)
)


@vary("HalfCauchy in a jitted step of gradient ascent", "silent", "holds")
def _():
    of = lambda scale: dist.HalfCauchy(scale).log_prob(3.0)

    @jax.jit
    def ascend(cauchy):
        slope = jax.grad(lambda cauchy: cauchy.log_prob(3.0))(cauchy)
        return jax.tree_util.tree_map(lambda x, s: x + 0.1 * s, cauchy, slope).scale

    step = jax.jit(lambda scale: scale + 0.1 * jax.value_and_grad(of)(scale)[1])
    by_hand = 2.0 + 0.1 * (1 / 2.0 - 2 * 2.0 / (2.0**2 + 3.0**2))
    return lambda: ascend(dist.HalfCauchy(2.0)), by_hand, lambda: step(2.0)


@vary("a module that holds it; filter_grad under vmap", "silent", "holds")
def _():
    class Kept(eqx.Module):
        noise: dist.Distribution

        def __call__(self, x):
            return self.noise.log_prob(x)

    class Built(eqx.Module):
        scale: jax.Array

        def __call__(self, x):
            return dist.HalfNormal(self.scale).log_prob(x)

    xs = jnp.array([1.0, 3.0])
    loss = lambda model, x: model(x)
    each = lambda model: eqx.filter_vmap(eqx.filter_grad(loss), in_axes=(None, 0))(model, xs)
    return (
        lambda: each(Kept(dist.HalfNormal(jnp.array(2.0)))).noise.scale,
        np.asarray(xs) ** 2 / 2.0**3 - 1 / 2.0,
        lambda: each(Built(jnp.array(2.0))).scale,
    )


@vary("64 bits", "silent", "holds")
def _():
    jax.config.update("jax_enable_x64", True)  # until the end, so this row is the last
    return three(dist.HalfNormal, HALF)
