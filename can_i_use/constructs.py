"""The constructs: what users do with a distribution, each computed in a second way.

A construct is a function of a row's `law(a, b)` that returns `got` and `expected`, and a tolerance
where that of float32 does not fit. It raises `No` where it does not apply. To add one, write it
here, and what it does at the end of `instances.toml`.
"""

from .ways import *


def jit_argument(law):
    d, x, expected = one(law)
    return jax.jit(lambda d: d.log_prob(x))(d), expected


def jit_result(law):
    _, x, expected = one(law)
    return jax.jit(law)(ONE).log_prob(x), expected


def saved(law):
    d, x, expected = one(law)
    leaves, structure = jax.tree_util.tree_flatten(d)
    folder = Path(os.environ.get("LEAVES", "."))
    files = [file for file in folder.iterdir() if file.name.startswith(f"{law.__name__}-")]
    if not files:
        (folder / f"{law.__name__}-{os.getpid()}.pickle").write_bytes(pickle.dumps(leaves))
        raise No
    copies = [jax.tree_util.tree_unflatten(structure, pickle.loads(f.read_bytes())) for f in files]
    return np.array([copy.log_prob(x) for copy in copies]), np.full(len(files), expected)


def after_use(law):
    d = law(ONE)
    before = jax.tree_util.tree_structure(d)
    for name in ("mean", "variance", "covariance_matrix", "precision_matrix", "probs", "logits"):
        with contextlib.suppress(Exception):
            getattr(d, name)
    return before == jax.tree_util.tree_structure(d), True


def validated(law):
    values = [jnp.full(one(law)[1].shape, value) for value in (-7.5, 0.37, 99.5)]
    outside = [value for value in values if not np.all(law(ONE).support(value))]
    if not outside:
        raise No
    with numpyro.validation_enabled():
        d = law(ONE)
        return jax.jit(lambda d: d.log_prob(outside[0]))(d), d.log_prob(outside[0])


def vmap_inside(law):
    keys, x = random.split(KEY, 4), draws(law)[:, 0]

    def lane(a, key, x):
        return law(a).log_prob(x), law(a).sample(key).ravel()

    got, drawn = jax.vmap(lane)(many(4), keys, x)
    single = jnp.stack([law(a).sample(key).ravel() for a, key in zip(many(4), keys)])
    return jnp.c_[got, drawn], jnp.c_[loop(law)[:, 0], single]


def vmap_result(law):
    return jax.vmap(law)(many(4)).log_prob(draws(law)[:, 0]), loop(law)[:, 0]


def vmap_result_draw(law):
    built = jax.vmap(law)(jnp.full(64, ONE))
    return alike(built.sample(KEY)), alike(law(ONE).sample(KEY, (64,)))


def plate(law):
    def model():
        with numpyro.plate("n", 4):
            numpyro.sample("x", law(0.1), obs=draws(law)[0])

    return density(model), loop(law)[0].sum()


def handled(law):
    _, x, expected = one(law)

    def model():
        with handlers.scope(prefix="s"):
            numpyro.sample("x", law(ONE))
            with handlers.mask(mask=False):
                numpyro.sample("y", law(ONE))
            with handlers.block():
                numpyro.sample("z", law(ONE), obs=x)

    return density(handlers.condition(model, {"s/x": x, "s/y": x})), expected


def reparam(law):
    d = law(ONE)
    if not isinstance(d, dist.TransformedDistribution):
        raise No
    model = handlers.reparam(handlers.seed(site(law), 0), {"x": TransformReparam()})
    trace = handlers.trace(model).get_trace()
    base = trace["x_base"]
    z, volume = base["value"], 0.0
    for move in d.transforms:
        before, z = z, move(z)
        volume += jnp.sum(move.log_abs_det_jacobian(before, z))
    return base["fn"].log_prob(base["value"]).sum(), d.log_prob(trace["x"]["value"]) + volume


def cond(law):
    _, x, expected = one(law)

    def branch(a):
        numpyro.sample("x", law(a), obs=x)

    return density(lambda: control_flow.cond(True, branch, branch, ONE)), expected


def predictive(law):
    two = (Predictive(site(law), num_samples=4, parallel=way) for way in (True, False))
    return tuple(draw(KEY)["x"] for draw in two)


def scan(law, days=3, size=0, axes=""):
    """The density in a scan over days, in a plate of some size, and that of a plain loop.

    `axes` names those of `a` and `b` that have the plate's axis.
    """
    axis, x = jnp.ones(size), draws(law)[:days, : size or 1]
    one_a, one_b = (axis if name in axes else 1.0 for name in "ab")

    def day(carry, inputs):
        with numpyro.plate("n", size) if size else contextlib.nullcontext():
            numpyro.sample("x", law(inputs[0] * one_a, 0.5 * one_b), obs=inputs[1])
        return carry, None

    given = many(4)[:days], x if size else x[:, 0]
    expected = loop(law)[:days, : size or 1].sum()
    return density(lambda: control_flow.scan(day, None, given)), expected


scan_plate = partial(scan, size=4)
scan_plate_equal = partial(scan, days=4, size=4)
scan_plate_single = partial(scan, days=4, size=1)
scan_first_axis = partial(scan, days=4, size=4, axes="a")
scan_other_axes = partial(scan, days=4, size=4, axes="b")
scan_all_axes = partial(scan, days=4, size=4, axes="ab")


def scan_latent(law, **options):
    def day(_, a):
        return None, numpyro.sample("x", law(a))

    model = partial(control_flow.scan, day, None, many(4), **options)
    return density(model, x=draws(law)[:, 0]), loop(law)[:, 0].sum()


scan_latent_reverse = partial(scan_latent, reverse=True)


def potential(law):
    d, move, z = latent(law)
    points = jnp.stack([z, z + 0.2, z - 0.3])
    got = jax.vmap(lambda z: potential_energy(site(law), (), {}, {"x": z}))(points)
    got = jnp.append(got, potential_energy(site(law), (), {}, {"x": z}))
    return -got, jnp.stack([unconstrained(d, move, z) for z in (*points, z)])


def auto_delta(law):
    d = latent(law)[0]
    got, parameters = jax.vmap(lambda key: loss(law, key, AutoDelta))(random.split(KEY, 4))
    return -got, jnp.stack([d.log_prob(x) for x in parameters["x_auto_loc"]])


def own_guide(law):
    return loss(law, KEY, lambda model: model)[0], 0.0


def gradient(law):
    x, h = one(law)[1], 1e-6
    got = jax.grad(lambda a: law(a).log_prob(x))(ONE)
    with float64():
        up, down = law(ONE + h).log_prob(wide(x)), law(ONE - h).log_prob(wide(x))
        return got, float(up - down) / (2 * h), 1e-2


def float32(law):
    x = np.asarray(law(ONE).sample(KEY, (64,)))
    if x.dtype.kind == "f":
        x = np.concatenate([x, 8 * x[np.asarray(law(ONE).support(8 * x))]])
    got = law(ONE).log_prob(x)
    with float64():
        return got, np.asarray(law(ONE).log_prob(wide(x))), 2e-3


def drawn_as_density(law):
    x, up = table(law)
    values = np.sort(many_draws(law))
    place = np.unique(values)
    below = np.searchsorted(values, place, side="right") / len(values)
    return np.abs(below - np.interp(place, x, up)).max(), 0.0, 0.04


def cdf(law):
    x, up = table(law)
    values = law(ONE).sample(KEY, (64,))
    return needed(law(ONE).cdf, values), np.interp(values, x, up), 5e-3


def icdf(law):
    (x, up), q = table(law), jnp.linspace(0.05, 0.95, 19)
    values = needed(law(ONE).icdf, q)
    if law(ONE).support.is_discrete:
        return values, x[np.searchsorted(up, q)]
    return np.interp(values, x, up), q, 5e-3


def mean(law):
    d = law(ONE)
    claimed = np.asarray(needed(lambda: d.mean))
    values = many_draws(law)
    if not np.isfinite(claimed).all():
        raise No
    error = values.std(0) / 63 + 1e-6
    return (claimed + 0 * error) / error, values.mean(0) / error, 7


def scipy(law):
    if not law.scipy:
        raise No
    d = law(ONE)
    x = np.asarray(d.sample(KEY, (64,)))
    names = {name: np.asarray(getattr(d, name), float) for name in type(d).arg_constraints}
    frozen = eval(law.scipy, {"stats": stats, "np": np, **names})
    expected = getattr(frozen, "logpmf" if d.support.is_discrete else "logpdf")(x.squeeze())
    return d.log_prob(x), expected
