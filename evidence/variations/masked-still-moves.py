"""Variations of *A parameter that `optax.masked` leaves out moves all the same*: what stays."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax

from evidence.variation import vary

X = np.linspace(0.0, 1.0, 9)
Y = 2.0 * X + 1.0
START = {"fixed": jnp.array(0.5), "trained": jnp.array(0.0)}
TRAINS = {"fixed": False, "trained": True}
STAYS = {"fixed": True, "trained": False}


def loss(params):
    return jnp.mean((params["trained"] * X + params["fixed"] - Y) ** 2)


def fixed(optimizer, start=START, loss=loss, steps=3, jit=False):
    def after():
        params, state = start, optimizer.init(start)
        update = jax.jit(optimizer.update) if jit else optimizer.update
        for _ in range(steps):
            updates, state = update(jax.grad(loss)(params), state, params)
            params = optax.apply_updates(params, updates)
        return params["fixed"]

    return after


def partition(inner):
    labels = {"fixed": "stays", "trained": "trains"}
    return optax.partition({"trains": inner, "stays": optax.set_to_zero()}, labels)


def three(inner, cure=None, **options):
    cured = cure or partition(inner)
    return fixed(optax.masked(inner, TRAINS), **options), START["fixed"], fixed(cured, **options)


def zeroed(mask=STAYS):
    return optax.masked(optax.set_to_zero(), mask)


SGD, ADAM, ADAMW = optax.sgd(0.1), optax.adam(0.1), optax.adamw(0.1, weight_decay=0.1)
vary("Adam", "silent", "holds")(lambda: three(ADAM))
vary("gradient descent", "silent", "holds")(lambda: three(SGD))
vary("AdamW", "silent", "holds")(lambda: three(ADAMW))
vary("under jit", "silent", "holds")(lambda: three(ADAM, jit=True))
vary("a clip around the optimizer", "silent", "holds")(
    lambda: three(optax.chain(optax.clip_by_global_norm(1.0), ADAM))
)
vary("the cure zeroes at the end", "silent", "holds")(
    lambda: three(ADAMW, optax.chain(ADAMW, zeroed()))
)
vary("the cure zeroes in front of Adam", "silent", "holds")(
    lambda: three(ADAM, optax.chain(zeroed(), ADAM))
)
vary("looks right: zeroes in front of AdamW", "silent", "falls")(
    lambda: three(ADAMW, optax.chain(zeroed(), ADAMW))
)
vary("looks right: the mask as a function", "silent", "falls")(
    lambda: three(ADAM, optax.masked(ADAM, lambda params: TRAINS))
)
vary("looks right: zeroes in front, the mask turned around", "silent", "falls")(
    lambda: three(ADAM, optax.chain(zeroed(TRAINS), ADAM))
)
vary("a mask of weight decay alone", "right", "holds")(
    lambda: (
        fixed(optax.chain(optax.masked(optax.add_decayed_weights(0.1), TRAINS), SGD)),
        fixed(SGD),
        fixed(SGD),
    )
)


@vary("the cure splits the parameters", "silent", "holds")
def _():
    def split():
        trains, stays = eqx.partition(START, TRAINS)
        state = ADAMW.init(trains)
        slope = jax.grad(lambda trains: loss(eqx.combine(trains, stays)))
        for _ in range(3):
            updates, state = ADAMW.update(slope(trains), state, trains)
            trains = optax.apply_updates(trains, updates)
        return eqx.combine(trains, stays)["fixed"]

    return fixed(optax.masked(ADAMW, TRAINS)), START["fixed"], split


@vary("a dict and a scan; labels by a function", "silent", "holds")
def _():
    def loss(params):
        return (params["head"]["w"] * params["body"]["w"] - 6.0) ** 2

    def body(optimizer):
        def step(carry, _):
            params, state = carry
            updates, state = optimizer.update(jax.grad(loss)(params), state, params)
            return (optax.apply_updates(params, updates), state), None

        params = {"body": {"w": jnp.float32(2.0)}, "head": {"w": jnp.float32(1.0)}}
        start = params, optimizer.init(params)
        return lax.scan(step, start, None, length=100)[0][0]["body"]["w"]

    mask = lambda params: {"body": {"w": False}, "head": {"w": True}}
    wrong = optax.chain(optax.masked(optax.sgd(0.01, momentum=0.5), mask))
    labels = lambda params: {name: {"w": name} for name in params}
    parts = {"body": optax.set_to_zero(), "head": optax.sgd(0.01, momentum=0.5)}
    return lambda: body(wrong), 2.0, lambda: body(optax.partition(parts, param_labels=labels))


@vary("a module with a function among its fields", "silent", "holds")
def _():
    class Net(eqx.Module):
        act: object
        first: jax.Array
        last: jax.Array

    def trained(optimizer, net):
        arrays, rest = eqx.partition(net, eqx.is_array)
        state = optimizer.init(arrays)
        loss = lambda arrays: (arrays.last * eqx.combine(arrays, rest).act(arrays.first) - 1) ** 2
        for _ in range(5):
            updates, state = jax.jit(optimizer.update)(jax.grad(loss)(arrays), state, arrays)
            arrays = optax.apply_updates(arrays, updates)
        return arrays.first

    net = Net(jnp.tanh, jnp.float32(0.5), jnp.float32(0.5))
    mask, labels = Net(None, False, True), Net(None, "fixed", "trained")
    parts = {"trained": optax.adam(0.1), "fixed": optax.set_to_zero()}
    wrong = optax.masked(optax.adam(0.1), mask)
    return lambda: trained(wrong, net), 0.5, lambda: trained(optax.partition(parts, labels), net)
