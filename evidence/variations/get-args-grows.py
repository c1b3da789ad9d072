"""Variations of *`get_args` returns one more entry after a read*: the location after a loop."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro.distributions as dist
from jax import lax

from evidence.variation import vary

# In 2024 there was no `get_args`.

TRIL, DRIFT = np.float32([[2, 0], [1, 1]]), np.float32([1.0, 0.5])


def from_tril(loc):
    return dist.MultivariateNormal(loc, scale_tril=TRIL)


def from_covariance(loc):
    return dist.MultivariateNormal(loc, covariance_matrix=TRIL @ TRIL.T)


def rebuilt(params):
    return dist.MultivariateNormal(params["loc"] + DRIFT, scale_tril=params["scale_tril"])


def read_inside(params):
    belief = rebuilt(params)
    belief.covariance_matrix  # noqa: B018
    return belief


def named(belief):
    return {"loc": belief.loc, "scale_tril": belief.scale_tril}


def get_args(belief):
    return belief.get_args()


def scanned(step, start, days):
    return lax.scan(lambda params, _: (step(params), None), start, jnp.arange(days))[0]


def fori(step, start, days):
    return lax.fori_loop(0, days, lambda _, params: step(params), start)


def looped(step, start, days):
    condition = lambda state: state[0] < days
    return lax.while_loop(condition, lambda s: (s[0] + 1, step(s[1])), (0, start))[1]


def three(read="covariance_matrix", make=from_tril, loop=scanned, days=3, size=2, **options):
    carry, cure = options.get("carry", get_args), options.get("cure", named)

    def location(carry, move=rebuilt):
        belief = make(jnp.zeros(size))
        if read:
            getattr(belief, read)
        return loop(lambda params: carry(move(params)), carry(belief), days)["loc"]

    inside = options.get("inside", rebuilt)
    return lambda: location(carry), days * DRIFT, lambda: location(cure, inside)


def whole():
    """The carry is the distribution."""
    belief = from_tril(jnp.zeros(2))
    belief.covariance_matrix  # noqa: B018
    step = lambda d: dist.MultivariateNormal(d.loc + DRIFT, scale_tril=d.scale_tril)
    return scanned(step, belief, 3).loc


def copied(belief):
    return jax.tree.map(lambda leaf: leaf, belief).get_args()


vary("the covariance was read", "TypeError", "holds", then=("AttributeError", "holds"))(
    lambda: three()
)
vary("the precision was read", "TypeError", "holds", then=("AttributeError", "holds"))(
    lambda: three("precision_matrix")
)
vary("nothing was read", "right", "holds", then=("AttributeError", "holds"))(lambda: three(None))
vary("made from a covariance", "TypeError", "holds", then=("AttributeError", "holds"))(
    lambda: three(None, from_covariance)
)
vary("fori_loop, one day", "TypeError", "holds", then=("AttributeError", "holds"))(
    lambda: three(loop=fori, days=1)
)
vary("while_loop", "TypeError", "holds", then=("AttributeError", "holds"))(
    lambda: three(loop=looped)
)
vary(
    "the cure is to carry the distribution",
    "TypeError",
    "holds",
    then=("AttributeError", "TypeError"),
)(lambda: (*three()[:2], whole))
vary(
    "the cure copies before get_args",
    "TypeError",
    "holds",
    then=("AttributeError", "AttributeError"),
)(lambda: three(cure=copied))
vary(
    "looks right: read in the step as well",
    "TypeError",
    "TypeError",
    then=("AttributeError", "AttributeError"),
)(lambda: three(cure=get_args, inside=read_inside))


@vary("logits read of probabilities", "right", "holds", then=("AttributeError", "holds"))
def _():
    def run(carried):
        law = dist.CategoricalProbs(jnp.array([0.2, 0.3, 0.5]))
        law.logits  # noqa: B018

        def body(state):
            n, params = state
            return n + 1, carried(dist.CategoricalProbs(probs=params["probs"]))

        return lax.while_loop(lambda state: state[0] < 3, body, (0, carried(law)))[1]["probs"]

    named = lambda law: {"probs": law.probs}
    return lambda: run(get_args), [0.2, 0.3, 0.5], lambda: run(named)


@vary("a Wishart, in cond", "TypeError", "holds", then=("AttributeError", "holds"))
def _():
    def scale(params):
        return {"scale_matrix": 2 * params["scale_matrix"], "concentration": 5.0}

    def mean(carried):
        law = dist.Wishart(concentration=5.0, scale_matrix=jnp.eye(2))
        print(end=f"{law.rate_matrix}"[:0])
        rescaled = lambda: carried(dist.Wishart(**scale(named(law))))
        params = lax.cond(True, rescaled, lambda: carried(law))
        return params["concentration"] * params["scale_matrix"]

    named = lambda law: {"concentration": law.concentration, "scale_matrix": law.scale_matrix}
    return lambda: mean(get_args), 10 * np.eye(2), lambda: mean(named)
