"""The constructs: what users do with a distribution, each computed in a second way.

A construct is a function of a row's `law(a, b)` that returns `got` and `expected`, and a tolerance
where that of float32 does not fit. It raises `No` where it does not apply. To add one, write it
here, and what it does in `instances.toml`. First come parameters, and second ways to a number: what
raises there says nothing about the construct.
"""

import contextlib
import copy
import dis
import functools
import os
import pickle
from functools import cache, partial
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from jax import random
from numpyro import handlers, infer
from numpyro.contrib import control_flow
from numpyro.infer.autoguide import AutoDelta, AutoNormal
from scipy import integrate, stats

KEY = random.PRNGKey(0)
ONE = 0.4  # the value of `a` where there is one distribution
REAL = dist.constraints.real
FOUR = jnp.linspace(0.1, 0.9, 4)  # where there are four


class No(Exception):
    """The construct does not apply to the distribution."""


class Unknown(Exception):
    """The second way to the number fails, so nothing is known of the construct."""


def second_way(compute):
    """Mark a function as part of the second way."""

    @functools.wraps(compute)
    def marked(*arguments):
        try:
            return compute(*arguments)
        except No:
            raise
        except Exception as error:
            raise Unknown(f"{type(error).__name__}: {error}") from error

    return marked


def sampled(d, key, shape=()):
    """Draws of a distribution that can be drawn from."""
    if isinstance(d, dist.ImproperUniform):
        raise No
    return d.sample(key, shape)


def values(d, key, shape=()):
    """Draws of a distribution; where it has none, values of its support."""
    if not isinstance(d, dist.ImproperUniform):
        return d.sample(key, shape)
    move = dist.biject_to(d.support)
    return move(random.normal(key, shape + move.inverse_shape(d.event_shape)))


def uses_b(law):
    """Whether a second parameter moves with `b`."""
    return any(instruction.argval == "b" for instruction in dis.get_instructions(law))


def vector(v):
    return jnp.stack([v - 0.3, 0.2 - 0.3 * v], -1)


def positives(v):
    return jnp.stack([0.5 + v, 1.5 - v], -1)


def simplex(v):
    return jnp.stack([1 + v, 2 + 0 * v, 3 - v], -1) / 6


def triangle(v):
    return jnp.asarray(v)[..., None, None] * jnp.eye(2) + jnp.array([[1.0, 0.0], [0.3, 0.8]])


def correlation(v):
    return jnp.eye(2) + jnp.asarray(v)[..., None, None] * 0.5 * (1 - jnp.eye(2))


@cache
@second_way
def draws(law):
    """Four values of each of four days' distributions."""
    keys = random.split(KEY, 4)
    return jnp.stack([jnp.asarray(values(law(a), key, (4,))) for a, key in zip(FOUR, keys)])


@cache
@second_way
def loop(law):
    """The log densities of `draws`, each by a call of its own."""
    pairs = zip(FOUR, draws(law))
    return np.array([[float(law(a).log_prob(x)) for x in row] for a, row in pairs])


@cache
@second_way
def one(law):
    """One distribution, a value, and its log density."""
    d = law(ONE)
    x = jnp.asarray(values(d, KEY))
    return d, x, d.log_prob(x)


def density(model, **given):
    """The log density of a model, with values for its latent sites."""
    return infer.util.log_density(handlers.seed(model, 0), (), {}, given)[0]


def site(law):
    """A model of one latent site."""
    return lambda: numpyro.sample("x", law(ONE))


def latent(law):
    """One distribution, a bijection from the reals, and a point there."""
    d = law(ONE)
    if d.support.is_discrete:
        raise No
    move = dist.biject_to(d.support)
    shape = move.inverse_shape(d.event_shape)
    return d, move, 0.15 + 0.2 * jnp.arange(np.prod(shape, dtype=int)).reshape(shape)


def unconstrained(d, move, z):
    """The log density at a point of the reals, with the volume of the bijection."""
    x = move(z)
    if np.size(x) != np.size(z):
        return d.log_prob(x) + jnp.sum(move.log_abs_det_jacobian(z, x))
    slopes = jax.jacfwd(lambda flat: move(flat.reshape(z.shape)).ravel())(z.ravel())
    return d.log_prob(x) + jnp.linalg.slogdet(slopes)[1]


def loss(law, key, guide):
    """The loss of SVI before its first step, and the parameters."""
    model = site(law)
    svi = infer.SVI(model, guide(model), numpyro.optim.Adam(0.1), infer.Trace_ELBO())
    state = svi.init(key)
    return svi.evaluate(state), svi.get_params(state)


def widened(values):
    """Turn on 64 bits, for the rest of the construct, and return values in the wide type."""
    jax.config.update("jax_enable_x64", True)
    values = np.asarray(values)
    return jnp.asarray(values, f"{values.dtype.kind}8")


@cache
@second_way
def table(law):
    """For a distribution of one number: increasing values, and the probability up to each."""
    jax.config.update("jax_enable_x64", True)
    d = law(ONE)
    if d.event_shape or isinstance(d, (dist.Delta, dist.ImproperUniform)):
        raise No
    if d.support.is_discrete:
        x = np.arange(3000)
        x = x[np.asarray(d.support(x))]
        return x, np.cumsum(np.exp(d.log_prob(jnp.asarray(x))))
    ends = 11.0 if d.support is dist.constraints.real else 4.0
    x = np.sort(dist.biject_to(d.support)(jnp.sinh(jnp.linspace(-ends, ends, 20001))))
    up = integrate.cumulative_trapezoid(np.exp(d.log_prob(x)), x, initial=0)
    return x, up + (np.exp(d.log_prob(0.0)) if hasattr(d, "gate") else 0)  # a hurdle is a point


def needed(method, *arguments):
    """What a method returns, where the distribution has it on this machine."""
    try:
        return method(*arguments)
    except (NotImplementedError, ImportError):
        raise No from None


def right(got, expected, error=1e-3):
    """Whether two numbers agree, in float32 unless another tolerance is given."""
    got, expected = np.asarray(got, float), np.asarray(expected, float)
    return got.shape == expected.shape and np.allclose(got, expected, min(error, 0.01), error)


def first(value):
    """The first numbers of a value, as words."""
    return " ".join(f"{number:.5g}" for number in np.ravel(np.asarray(value, float))[:4])


def jit_argument(law):
    d, x, expected = one(law)
    return jax.jit(lambda d: d.log_prob(x))(d), expected


def jit_result(law):
    _, x, expected = one(law)
    return jax.jit(law)(ONE).log_prob(x), expected


def saved(law):
    d, x, expected = one(law)
    leaves, structure = jax.tree_util.tree_flatten(d)
    folder = Path(os.environ.get("LEAVES", "leaves")) / law.__name__
    folder.mkdir(parents=True, exist_ok=True)
    loaded = [pickle.loads(file.read_bytes()) for file in folder.iterdir()]
    (folder / str(os.getpid())).write_bytes(pickle.dumps(leaves))
    got = [jax.tree_util.tree_unflatten(structure, leaves).log_prob(x) for leaves in loaded]
    return np.array(got), np.full(len(got), expected)


def after_use(law):
    d = law(ONE)
    before = jax.tree_util.tree_structure(d)
    for name in ("mean", "variance", "covariance_matrix", "precision_matrix", "probs", "logits"):
        with contextlib.suppress(Exception):
            getattr(d, name)
    return before == jax.tree_util.tree_structure(d), True


@second_way
def outside(law):
    """A value outside the support, of the type of a draw, and what the distribution says of it."""
    d, x, _ = one(law)
    tried = (-7, 99) if jnp.issubdtype(x.dtype, jnp.integer) else (-7.5, 0.37, 99.5)
    outside_support = [v for v in (jnp.full_like(x, t) for t in tried) if not np.all(d.support(v))]
    if not outside_support:
        raise No
    with numpyro.validation_enabled():
        return outside_support[0], law(ONE).log_prob(outside_support[0])


def validated(law):
    value, expected = outside(law)
    with numpyro.validation_enabled():
        return jax.jit(lambda d: d.log_prob(value))(law(ONE)), expected


def deepcopied(law):
    d, x, expected = one(law)
    return copy.deepcopy(d).log_prob(x), expected


def pickled(law):
    d, x, expected = one(law)
    return pickle.loads(pickle.dumps(d)).log_prob(x), expected


def vmap_inside(law):
    def lane(a, key, x):
        return jnp.append(law(a).log_prob(x), values(law(a), key))

    given = FOUR, random.split(KEY, 4), draws(law)[:, 0]
    return jax.vmap(lane)(*given), jnp.stack(
        [lane(*values_of_lane) for values_of_lane in zip(*given)]
    )


def vmap_result(law):
    return jax.vmap(law)(FOUR).log_prob(draws(law)[:, 0]), loop(law)[:, 0]


def vmap_result_draw(law):
    built = jax.vmap(law)(jnp.full(64, ONE))
    drawn = np.asarray(sampled(built, KEY)), np.asarray(sampled(law(ONE), KEY, (64,)))
    return tuple(np.array([*x.shape, (x == x[:1]).all()]) for x in drawn)


def plate(law):
    def model():
        with numpyro.plate("n", 4):
            numpyro.sample("x", law(0.1), obs=draws(law)[0])

    return density(model), loop(law)[0].sum()


def subsampled(law):
    def model():
        with numpyro.plate("n", 8, subsample_size=4):
            numpyro.sample("x", law(0.1), obs=draws(law)[0])

    return density(model), 2 * loop(law)[0].sum()


def obs_mask(law):
    missing = np.array([True, False, False, True])
    _, x, _ = one(law)  # in the place of what is missing

    def model():
        with numpyro.plate("n", 4):
            numpyro.sample("x", law(0.1), obs=draws(law)[0], obs_mask=~missing)

    filled = jnp.stack([x] * 4)
    expected = loop(law)[0][~missing].sum() + 2 * law(0.1).log_prob(x)
    return density(model, x_unobserved=filled), expected


def log_likelihood(law):
    x = draws(law)[0, 0]

    def model():
        numpyro.sample("x", law(numpyro.sample("a", dist.Uniform())), obs=x)

    expected = jnp.stack([law(a).log_prob(x) for a in FOUR])
    return infer.log_likelihood(model, {"a": FOUR})["x"], expected


def handled(law):
    _, x, expected = one(law)
    sampled(law(ONE), KEY)

    def model():
        with handlers.scope(prefix="s"):
            numpyro.sample("x", law(ONE))
            with handlers.mask(mask=False):
                done = numpyro.sample("y", law(ONE))
            with handlers.block():
                numpyro.sample("z", law(ONE), obs=x)
            numpyro.sample("w", law(ONE), obs=done)

    given = handlers.condition(model, {"s/x": x})
    return density(handlers.do(given, {"s/y": x})), 2 * expected


def reparam(law):
    d = law(ONE)
    if not isinstance(d, dist.TransformedDistribution):
        raise No
    way = {"x": infer.reparam.TransformReparam()}
    trace = handlers.trace(handlers.reparam(handlers.seed(site(law), 0), way)).get_trace()
    base, x = trace["x_base"], trace["x"]["value"]
    move = dist.transforms.ComposeTransform(d.transforms)
    volume = jnp.sum(move.log_abs_det_jacobian(base["value"], x))
    return base["fn"].log_prob(base["value"]).sum(), d.log_prob(x) + volume


def loc_scale_reparam(law):
    d, x, expected = one(law)
    if not {"loc", "scale"} <= d.arg_constraints.keys() or d.support is not REAL:
        raise No
    way = {"x": infer.reparam.LocScaleReparam(0.0)}
    model = handlers.reparam(site(law), way)
    z = (x - d.loc) / d.scale
    volume = jnp.sum(jnp.log(jnp.broadcast_to(d.scale, jnp.shape(x))))
    return density(model, x_decentered=z), expected + volume


def cond(law):
    _, x, expected = one(law)

    def branch(a):
        numpyro.sample("x", law(a), obs=x)

    return density(lambda: control_flow.cond(True, branch, branch, ONE)), expected


def predictive(law):
    sampled(law(ONE), KEY)
    two = (infer.Predictive(site(law), num_samples=4, parallel=way) for way in (True, False))
    return tuple(draw(KEY)["x"] for draw in two)


def predictive_from_posterior(law):
    x = draws(law)[0, 0]  # before anything is traced: the second way is cached

    def model():
        d = law(numpyro.sample("a", dist.Uniform()))
        numpyro.deterministic("density", d.log_prob(x))
        numpyro.sample("x", d)

    sampled(law(ONE), KEY)
    got = infer.Predictive(model, {"a": jnp.tile(FOUR, 16)})(KEY)
    expected = jnp.stack([law(a).log_prob(x) for a in FOUR])
    alike = (got["x"] == got["x"][:1]).all() and not isinstance(law(ONE), dist.Delta)
    return jnp.append(got["density"], alike), jnp.append(jnp.tile(expected, 16), False)


def scan(law, days=3, size=0, axes="", expand=False):
    """The density in a scan and in a loop; `axes` names which of `a` and `b` are plate-wide."""
    if "b" in axes and not uses_b(law):
        raise No
    axis, x = jnp.ones(size), draws(law)[:days, : size or 1]
    one_a, one_b = (axis if name in axes else 1.0 for name in "ab")

    def day(carry, inputs):
        d = law(inputs[0] * one_a, 0.5 * one_b)
        with numpyro.plate("n", size) if size else contextlib.nullcontext():
            numpyro.sample("x", d.expand((size,)) if expand else d, obs=inputs[1])
        return carry, None

    given = FOUR[:days], x if size else x[:, 0]
    expected = loop(law)[:days, : size or 1].sum()
    return density(lambda: control_flow.scan(day, None, given)), expected


scan_plate = partial(scan, size=4)
scan_plate_equal = partial(scan, days=4, size=4)
scan_plate_single = partial(scan, days=4, size=1)
scan_first_axis = partial(scan, days=4, size=4, axes="a")
scan_other_axes = partial(scan, days=4, size=4, axes="b")
scan_all_axes = partial(scan, days=4, size=4, axes="ab")
scan_expanded = partial(scan, size=4, expand=True)


def scan_latent(law, **options):
    def day(_, a):
        return None, numpyro.sample("x", law(a))

    model = partial(control_flow.scan, day, None, FOUR, **options)
    return density(model, x=draws(law)[:, 0]), loop(law)[:, 0].sum()


scan_latent_reverse = partial(scan_latent, reverse=True)


def potential(law):
    d, move, z = latent(law)
    points = jnp.stack([z, z + 0.2, z - 0.3])
    got = jax.vmap(lambda z: infer.util.potential_energy(site(law), (), {}, {"x": z}))(points)
    got = jnp.append(got, infer.util.potential_energy(site(law), (), {}, {"x": z}))
    return -got, jnp.stack([unconstrained(d, move, z) for z in (*points, z)])


def auto_delta(law):
    d = latent(law)[0]
    got, parameters = jax.vmap(lambda key: loss(law, key, AutoDelta))(random.split(KEY, 4))
    return -got, jnp.stack([d.log_prob(x) for x in parameters["x_auto_loc"]])


def auto_normal(law):
    d, move, z = latent(law)
    guide = partial(AutoNormal, init_scale=0.01)
    got, parameters = jax.vmap(lambda key: loss(law, key, guide))(random.split(KEY, 400))
    middle = jax.vmap(partial(unconstrained, d, move))(parameters["x_auto_loc"])
    entropy = z.size * stats.norm(scale=0.01).entropy()
    return np.mean(-got - middle) / z.size, entropy / z.size, 0.3


def own_guide(law):
    sampled(law(ONE), KEY)
    return loss(law, KEY, lambda model: model)[0], 0.0


def gradient(law):
    x, h = one(law)[1], 1e-6
    got = jax.grad(lambda a: law(a).log_prob(x))(ONE)
    x = widened(x)
    up, down = law(ONE + h).log_prob(x), law(ONE - h).log_prob(x)
    return got, float(up - down) / (2 * h), 1e-2


def float32_far(law):
    if not law.far:
        raise No
    d, x = eval(law.far, {"dist": dist, "jnp": jnp, "KEY": KEY})
    got = d.log_prob(x)
    widened(x)
    d, x = eval(law.far, {"dist": dist, "jnp": jnp, "KEY": KEY})
    return got, d.log_prob(x), 2e-3


def float32(law):
    x = np.asarray(values(law(ONE), KEY, (64,)))
    if x.dtype.kind == "f":
        x = np.concatenate([x, 8 * x[np.asarray(law(ONE).support(8 * x))]])
    got = law(ONE).log_prob(x)
    return got, law(ONE).log_prob(widened(x)), 2e-3


def drawn_as_density(law):
    seen = stats.ecdf(np.ravel(sampled(law(ONE), KEY, (4000,)))).cdf
    x, up = table(law)
    return np.abs(seen.probabilities - np.interp(seen.quantiles, x, up)).max(), 0.0, 0.04


def cdf(law):
    x = sampled(law(ONE), KEY, (64,))
    got = needed(law(ONE).cdf, x)
    return got, np.interp(x, *table(law)), 5e-3


def icdf(law):
    q = jnp.linspace(0.05, 0.95, 19)
    got = needed(law(ONE).icdf, q)
    x, up = table(law)
    if law(ONE).support.is_discrete:
        return got, x[np.searchsorted(up, q)]
    return np.interp(got, x, up), q, 5e-3


def mean(law):
    d = law(ONE)
    claimed = np.asarray(needed(lambda: d.mean))
    x = np.asarray(sampled(d, KEY, (4000,)), float)
    if not np.isfinite(claimed).all():
        raise No
    error = x.std(0) / 63 + 1e-6
    return (claimed + 0 * error) / error, x.mean(0) / error, 7


def variance(law):
    d = law(ONE)
    claimed = np.asarray(needed(lambda: d.variance))
    x = np.asarray(sampled(d, KEY, (4000,)), float)
    squares = (x - x.mean(0)) ** 2
    if not np.isfinite(claimed).all() or (squares.std(0) > 20 * squares.mean(0)).any():
        raise No  # the tails are too heavy for so few draws
    error = squares.std(0) / 63 + 1e-6
    return (claimed + 0 * error) / error, squares.mean(0) / error, 7


def entropy(law):
    d = law(ONE)
    claimed = np.asarray(needed(d.entropy))
    surprise = -np.asarray(d.log_prob(sampled(d, KEY, (4000,))), float)
    error = surprise.std() / 63 + 1e-3
    return claimed / error, surprise.mean() / error, 7


def enumerated(law):
    if not law(ONE).has_enumerate_support:
        raise No
    d = law(ONE)
    got = jnp.exp(d.log_prob(needed(d.enumerate_support))).sum()
    return got, 1.0


def scipy(law):
    if not law.scipy:
        raise No
    d = law(ONE)
    x = np.asarray(d.sample(KEY, (64,)))
    names = {name: np.asarray(getattr(d, name), float) for name in type(d).arg_constraints}
    frozen = eval(law.scipy, {"stats": stats, "np": np, **names})
    expected = getattr(frozen, "logpmf" if d.support.is_discrete else "logpdf")(x.squeeze())
    return d.log_prob(x), expected
