"""What `examine` finds in broken models, and its silence on whole ones."""

import contextlib
import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
import pytest
from examine_model import examine
from examine_model.climb import climb
from examine_model.context import Context
from examine_model.wide import Wide, row_of
from numpyro import handlers, primitives
from numpyro.contrib.control_flow import scan
from numpyro.contrib.module import eqx_module, random_eqx_module
from numpyro.infer import MCMC, NUTS, SVI, Trace_ELBO
from numpyro.infer.autoguide import AutoDelta, AutoNormal
from numpyro.optim import Adam
from trials import count

X = jnp.linspace(0.0, 1.0, 6)


def regression(x, y=None):
    slope = numpyro.sample("slope", dist.Normal(0.0, 1.0))
    spread = numpyro.sample("spread", dist.HalfNormal(1.0))
    with numpyro.plate("row", len(x)):
        numpyro.sample("y", dist.Normal(slope * x, spread), obs=y)


# --- the silent cases of the book ---------------------------------------------------------------


KEPT = {name: row for name, row in count.known().items() if row["of"] != count.OLD_STACK}


@pytest.mark.slow
@pytest.mark.parametrize("name", KEPT)
def test_of_a_model_that_judges_examine_is_said_what_its_row_says(name):
    said = count.asked(name)
    assert count.verdict(KEPT[name]["case"], said) == KEPT[name]["said"], said
    assert said.get("could_not", {}).keys() <= KEPT[name].get("could_not", {}).keys(), said


# --- whole models of each kind ------------------------------------------------------------------


def with_handlers(penalty=lambda y: -y):
    """Sites that are masked, scaled, subsampled and enumerated, and a factor."""
    x = numpyro.sample("x", dist.Normal(0.0, 1.0))
    kind = numpyro.sample("kind", dist.Bernoulli(0.5), infer={"enumerate": "parallel"})
    data = jnp.array([1.0, jnp.nan, 2.0, 0.5, 0.7, 1.2])
    row = numpyro.plate("row", 6, subsample_size=4)
    with row as index, handlers.scale(scale=10.0), handlers.mask(mask=index != 1):
        numpyro.sample("y", dist.Normal(x + kind, 1.0), obs=data[index])
        z = numpyro.sample("z", dist.Normal(x + kind, 1.0))
    numpyro.factor("penalty", penalty(jnp.sum(z)))


def with_params_and_an_improper_prior():
    scale = numpyro.param("scale", lambda key: jnp.exp(jax.random.normal(key)),
                          constraint=dist.constraints.positive)  # fmt: skip
    x = numpyro.sample("x", dist.ImproperUniform(dist.constraints.positive, (2,), ()))
    numpyro.sample("y", dist.Normal(x, scale), obs=jnp.ones(2))


def with_a_loop_that_has_no_gradient():
    x = numpyro.sample("x", dist.Normal(1.0, 0.1))
    doubled = jax.lax.while_loop(lambda y: y < 10.0, lambda y: 2.0 * y, x)
    numpyro.sample("y", dist.Normal(doubled, 1.0), obs=12.0)


NET, STATE = eqx.nn.make_with_state(eqx.nn.BatchNorm)(1, "batch", mode="batch")


def with_equinox_state():
    layer = eqx_module("layer", NET)
    holder = primitives.mutable("state", {"batch": STATE})
    mapped = jax.vmap(layer, in_axes=(0, None), out_axes=(0, None), axis_name="batch")
    mean, holder["batch"] = mapped(X[:, None], holder["batch"])
    numpyro.sample("y", dist.Normal(mean, 1.0).to_event(2), obs=jnp.ones((6, 1)))


class EquinoxModel(eqx.Module):
    """A model that is an Equinox module, and draws the weights of another."""

    spread: jax.Array
    layer: eqx.nn.Linear

    def __call__(self):
        layer = random_eqx_module("layer", self.layer, lambda _, shape: dist.Normal().expand(shape))
        spread = numpyro.sample("spread", dist.HalfNormal(self.spread))
        numpyro.sample("y", dist.Normal(layer(X), spread).to_event(1), obs=jnp.ones(1))


def with_mutable_params():
    """Parameters and state that are made together in the first run, as `flax_module` makes them."""
    scale, state = numpyro.param("scale"), primitives.mutable("state")
    assert (scale is None) == (state is None)
    if scale is None:
        scale, state = numpyro.param("scale", 2.0), primitives.mutable("state", {"calls": 0.0})
    state["calls"] = state["calls"] + 1.0
    numpyro.sample("y", dist.Normal(scale, state["calls"]), obs=1.0)


def with_enumeration_in_scan():
    def step(kind, value):
        odds = jnp.array([[0.9, 0.1], [0.2, 0.8]])[kind]
        kind = numpyro.sample("kind", dist.Categorical(odds), infer={"enumerate": "parallel"})
        numpyro.sample("y", dist.Normal(jnp.array([0.0, 3.0])[kind], 1.0), obs=value)
        return kind, None

    scan(step, 0, jnp.array([0.0, 3.0, 3.0]))


def with_a_gradient(of):
    """A model whose mean is some function of a latent and of distances, one of which is zero."""

    def model(x):
        scale = numpyro.sample("scale", dist.Uniform(0.5, 2.0))
        numpyro.sample("y", dist.Normal(of(x, scale), 1.0), obs=jnp.ones(len(x)))

    return model


@pytest.mark.parametrize(
    ("of", "findings", "hints"),
    [
        (lambda x, scale: jnp.sqrt((x / scale) ** 2), ["nan-gradient"], []),
        (lambda x, scale: jnp.sqrt((x / scale) ** 2 + 1e-6), [], []),
        (lambda x, scale: x * jnp.where(scale > 1.0, jnp.sqrt(scale - 1.0), 0.0),
         ["nan-gradient"], []),
        (lambda x, scale: 9 * scale * x, [], []),
        (lambda x, scale: 9 * x * jax.lax.stop_gradient(scale), [], ["zero-gradient"]),
    ],
)  # fmt: skip
def test_a_gradient_that_is_no_number_or_zero_is_told_where_the_density_moves(of, findings, hints):
    report = examine(with_a_gradient(of), X, checks=["round_trip"])
    assert [finding.id for finding in report.findings] == findings, report
    assert [hint.id for hint in report.hints] == hints, report
    assert all(row.site == "scale" for row in (*report.findings, *report.hints))


def test_a_loop_that_has_data_for_its_first_steps_draws_the_others():
    def model(length):
        def step(level, _):
            level = numpyro.sample("level", dist.Normal(level, 1.0))
            numpyro.sample("y", dist.Normal(level, 1.0))
            return level, None

        scan(step, 0.0, None, length=length)

    report = examine(handlers.condition(model, {"level": jnp.ones(3)}), 5, checks=["round_trip"])
    assert report.ok and report.ran == ["round_trip"], report


def test_a_start_whose_loss_is_infinite_alone_too_is_no_fault_of_vmap():
    def model():
        numpyro.sample("y", dist.Normal(numpyro.sample("x", dist.Normal()), 1.0), obs=jnp.inf)

    def guide():
        numpyro.sample("x", dist.Normal(numpyro.param("mean", 0.0), 1.0))

    report = examine(model, guide=guide, checks=["guide"])
    assert report.ok and report.ran == ["guide"], report


class Still(dist.Normal):
    """A law that draws its centre only, for a sampler to start from."""

    def sample(self, key, sample_shape=()):
        return jnp.zeros(sample_shape)


def test_a_gradient_that_is_no_number_at_the_only_value_drawn_is_a_hint():
    def model():
        numpyro.factor("distance", -jnp.sqrt(numpyro.sample("x", Still()) ** 2))

    report = examine(model, checks=["round_trip"])
    assert report.ok and [hint.id for hint in report.hints] == ["nan-gradient"], report


WHOLE = [
    with_handlers, with_equinox_state,
    EquinoxModel(jnp.array(2.0), eqx.nn.Linear(6, 1, key=jax.random.PRNGKey(0))),
    with_mutable_params, with_enumeration_in_scan, with_params_and_an_improper_prior,
    with_a_loop_that_has_no_gradient,
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("model", WHOLE)
def test_a_whole_model_of_each_kind_is_not_alarmed(model):
    report = examine(model)
    assert report.ok, report
    assert not report.hints, report
    asked = {"round_trip", "jit", "keys", "shapes", "state", "scan", "support", "likelihood"}
    assert asked <= {*report.ran, *(quiet.check for quiet in report.nothing)}, report


def log_normal(level):
    return dist.TransformedDistribution(dist.Normal(level, 0.5), dist.transforms.ExpTransform())


def nested(noise):
    """Three weeks of five days, with five stations each."""

    def week(level, _):
        def day(level, values):
            with numpyro.plate("station", 5):
                numpyro.sample("y", noise(level), obs=values)
            return level + 1.0, None

        return scan(day, level, jnp.exp(jnp.arange(25.0).reshape(5, 5) / 9))

    scan(week, 0.0, None, length=3)


@pytest.mark.slow
def test_a_loop_inside_a_loop_is_compared_with_its_own_steps():
    report = examine(nested, log_normal)
    assert [(finding.check, finding.site) for finding in report.findings] == [("scan", "y")], report
    cured = examine(nested, lambda level: log_normal(level * jnp.ones(5)))
    assert cured.ok and "scan" in cured.ran, cured


@pytest.mark.slow
def test_latents_of_a_loop_inside_a_loop_which_numpyro_does_not_take_are_told():
    def outer(level, _):
        def inner(level, _):
            return numpyro.sample("x", dist.Normal(level, 1.0)), None

        return scan(inner, level, None, length=3)

    report = examine(lambda: scan(outer, 0.0, None, length=2) and None)
    assert not report.findings
    assert "scan" in report.ran
    assert {"keys", "round_trip", "jit"} <= {skipped.check for skipped in report.not_run}
    assert all("nested scan" in skipped.why for skipped in report.not_run)


@pytest.mark.slow
def test_a_broken_factor_is_found_among_masked_scaled_subsampled_and_enumerated_sites():
    report = examine(with_handlers, lambda y: -y * np.random.uniform(1.0, 2.0))
    assert {finding.site for finding in report.findings} == {"penalty"}, report


@pytest.mark.slow
def test_a_stacked_site_that_raises_is_a_finding_where_its_steps_do_not():
    def step(carry, mean):
        fn = dist.SineSkewed(dist.SineBivariateVonMises(mean, 0.0, 1.0, 1.0, 0.5), jnp.zeros(2))
        numpyro.sample("x", fn)
        return carry, None

    report = examine(lambda: scan(step, None, jnp.zeros(3)) and None)
    assert "raises-in-scan" in {case for finding in report.findings for case in finding.cases}, (
        report
    )


@pytest.mark.parametrize("guide_of", [AutoNormal, lambda model: None])
def test_the_place_where_a_tracer_stays_is_named_with_a_guide_and_without(guide_of):
    kept = None

    def model():
        nonlocal kept
        level = numpyro.sample("level", dist.Normal(0.0, 1.0))
        kept = jnp.exp(level) if kept is None else kept
        numpyro.sample("y", dist.Normal(kept, 1.0), obs=1.0)

    (finding,) = examine(model, guide=guide_of(model), checks=["state"]).findings
    assert "leaves a tracer in kept;" in finding.says
    assert kept is None, "the cell is put back"


def test_a_model_that_draws_from_numpy_is_not_blamed_on_a_program():
    def noisy(y):
        level = numpyro.sample("level", dist.Normal(0.0, 1.0))
        numpyro.sample("y", dist.Normal(level + np.random.normal(), 1.0), obs=y)

    report = examine(noisy, 1.0, checks=["round_trip", "jit"])
    assert [finding.id for finding in report.findings] == ["density-not-repeated"], report
    (skipped,) = report.not_run
    assert skipped.why == "the model gives another log density in each run"


@pytest.mark.slow
def test_a_guide_that_keeps_a_traced_start_is_found_once_by_the_page_that_says_so():
    guide = AutoDelta(regression)
    svi = SVI(regression, guide, Adam(0.1), Trace_ELBO())
    jax.jit(jax.vmap(svi.init, in_axes=(0, None)))(jax.random.split(jax.random.key(0), 2), X)
    report = examine(regression, X, guide=guide)
    assert [finding.cases for finding in report.findings] == [("guide-keeps-traced-start",)], report
    assert examine(regression, X, X, guide=AutoDelta(regression)).ok


# --- priors as arguments ------------------------------------------------------------------------


def test_priors_that_are_handed_over_are_neither_findings_nor_hints():
    def model(laws):
        for number, law in enumerate(laws):
            numpyro.sample(f"x{number}", law)

    laws = [
        dist.Normal(0.0, 1.0), dist.HalfNormal(1.0), dist.Uniform(-5.0, 5.0),
        dist.Exponential(2.0), dist.Beta(2.0, 3.0), dist.HalfCauchy(1.0), dist.Gumbel(0.0, 2.0),
        dist.Gamma(2.0, 1.0), dist.TruncatedNormal(0.0, 1.0, low=-1.0), dist.LogNormal(0.0, 1.0),
    ]  # fmt: skip
    report = examine(model, laws, checks=["pytree"])
    assert report.ok and not report.hints, report


def test_a_law_that_a_jitted_helper_scores_is_found_with_a_bound_on_either_side():
    penalty = jax.jit(lambda law, value: law.log_prob(value).sum())

    def bounded(law):
        x = numpyro.sample("x", dist.Normal(0.0, 1.0))
        numpyro.factor("penalty", penalty(law, jnp.tanh(x)))

    for law in (dist.Uniform(-5.0, 5.0), dist.Exponential(1.0)):
        for model, given in ((bounded, [law]), (lambda law=law: bounded(law), [])):
            report = examine(model, *given, checks=["pytree"])
            assert [finding.id for finding in report.findings] == ["copy-forgets-bounds"], report
    assert examine(lambda: numpyro.sample("x", law), checks=["pytree"]).ok, "it is not copied"


def test_a_law_whose_copy_gives_nan_outside_of_its_support_is_found():
    penalty = jax.jit(lambda law, value: law.log_prob(value))

    def bounded(law):
        numpyro.factor("penalty", penalty(law, jnp.exp(numpyro.sample("x", dist.Normal()))))

    report = examine(bounded, dist.LogNormal(), checks=["pytree"])
    assert [finding.id for finding in report.findings] == ["copy-forgets-bounds"], report


class Shifted(dist.Normal):
    """A normal with a shift that is no declared field, so that a copy lacks it."""

    support = dist.constraints.positive

    def __init__(self, shift):
        self.shift = shift
        super().__init__(0.0, 1.0)

    def log_prob(self, value):
        return super().log_prob(value - self.shift)


@pytest.mark.parametrize("jitted", [True, False])
def test_a_law_of_ones_own_whose_copy_lacks_a_field_is_found_where_it_is_copied(jitted):
    penalty = jax.jit(lambda law, value: law.loc + value) if jitted else Shifted.log_prob

    def model(law):
        numpyro.factor("penalty", penalty(law, numpyro.sample("x", dist.Normal(0.0, 1.0))))

    report = examine(model, Shifted(2.0), checks=["pytree"])
    assert [finding.id for finding in report.findings] == ["copy-raises"] * jitted, report


# --- guides and folded distributions ---------------------------------------------------------


def test_a_stacked_site_that_raises_is_named_by_the_cases_of_its_silent_form():
    def model(days):
        def day(level, value):
            with numpyro.plate("station", 5):
                numpyro.sample("reading", log_normal(level), obs=value)
            return level + 1, None

        scan(day, 0.0, jnp.ones((days, 5)))

    for days, wanted in {4: "stacked-raises", 5: "stacked-density"}.items():
        (finding,) = examine(model, days, checks=["scan"]).findings
        assert finding.id == wanted and "exchanged-axes" in finding.cases


@pytest.mark.parametrize(("width", "wanted"), [((), ["stacked-density"]), (5, [])])
def test_the_steps_of_a_guide_are_compared_too(width, wanted):
    def days(level_of):
        def day(_, level):
            with numpyro.plate("station", 5):
                numpyro.sample("level", log_normal(level_of(level)))
            return None, None

        scan(day, None, jnp.arange(5.0))

    model, guide = (functools.partial(days, jnp.zeros(each).__add__) for each in (5, width))
    report = examine(model, guide=guide, checks=["scan"])
    assert [finding.id for finding in report.findings] == wanted and report.ran, report


@pytest.mark.slow
def test_a_guide_that_was_fitted_once_is_no_finding():
    guide = AutoNormal(regression)
    svi = SVI(regression, guide, Adam(0.05), Trace_ELBO())
    svi.run(jax.random.PRNGKey(3), 20, X, X, progress_bar=False)
    report = examine(regression, X, X, guide=guide, checks=["guide"])
    assert report.ok, report


def test_a_folded_law_is_a_hint_and_nuts_runs_as_the_hint_says():
    def folded(y):
        size = numpyro.sample("size", dist.FoldedDistribution(dist.StudentT(3.0, 1.0, 2.0)))
        numpyro.sample("y", dist.Normal(size, 1.0), obs=y)

    report = examine(folded, 2.0, checks=["round_trip"])
    assert report.ok, report
    assert [hint.cases for hint in report.hints] == [("folded-without-intermediates",)]
    mcmc = MCMC(NUTS(folded, max_tree_depth=2), num_warmup=5, num_samples=5, progress_bar=False)
    mcmc.run(jax.random.PRNGKey(0), 2.0)


def test_a_law_of_ones_own_in_a_loop_is_given_no_cause_that_is_guessed():
    class Shifted(dist.Normal):
        """A normal with a shift that is no declared field."""

        def __init__(self, loc, shift):
            self.shift = shift
            super().__init__(loc, 1.0)

        def log_prob(self, value):
            return super().log_prob(value - self.shift)

    def year(level, shift):
        numpyro.sample("wage", Shifted(level, shift), obs=1.0)
        return level + 0.1, None

    report = examine(lambda: scan(year, 0.0, jnp.arange(4.0)) and None, checks=["scan"])
    assert all(not finding.cases for finding in report.findings), report


# --- silence means compared ------------------------------------------------------------------


class Standardised:
    """A model that keeps what it needs of the first data that it sees."""

    def __init__(self, read):
        self.read, self.mean = read, None

    def __call__(self, data):
        values = self.read(data)
        if self.mean is None:
            self.mean = float(values.mean())
        slope = numpyro.sample("slope", dist.Normal(0.0, 1.0))
        numpyro.sample("y", dist.Normal(slope, 1.0).expand(values.shape).to_event(1),
                       obs=jnp.asarray(values - self.mean))  # fmt: skip


def only(taken):
    """Return what reads some data and refuses others."""

    def read(data):
        if not taken(data):
            raise ValueError("Such data are not taken.")
        return np.asarray(data)

    return read


shares = only(lambda parts: np.isclose(np.sum(parts), 1.0))


@pytest.mark.parametrize(
    ("read", "data"),
    [
        (np.asarray, [0.4, 1.9, 0.8, 2.2]),
        (np.asarray, np.array([4.0, 1.0, 2.5])),
        (np.asarray, np.array([4, 1, 3])),  # turned round, they have the same mean
        (only(lambda times: np.all(np.diff(times) >= 0)), np.array([0.5, 1.0, 4.0])),
        (only(lambda years: np.all(np.diff(years) == -1)), np.array([2003, 2002, 2001])),
        (np.asarray, np.array([True, False, False])),
        (lambda parts: shares(parts) ** 2, np.array([0.2, 0.3, 0.5])),
        (lambda data: np.asarray(data["y"]), {"y": np.array([4.0, 1.0, 2.5]), "group": [0, 1, 1]}),
        (lambda rate: np.array([rate, 2.0, 3.0]), 0.5),
    ],
)
def test_what_is_kept_of_the_first_data_is_found_whatever_the_data_are(read, data):
    report = examine(Standardised(read), data, checks=["state"])
    assert [finding.cases for finding in report.findings] == [("kept-in-model",)], report


def test_what_is_kept_of_a_frame_is_found():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"y": [4.0, 1.0, 2.5], "place": ["a", "b", "a"]})
    for read, data in ((lambda frame: frame["y"].to_numpy(), frame), (np.asarray, frame["y"])):
        report = examine(Standardised(read), data, checks=["state"])
        assert [finding.cases for finding in report.findings] == [("kept-in-model",)], report


def test_of_a_model_that_keeps_a_key_no_kept_prior_is_blamed():
    key = jax.random.PRNGKey(0)

    def model(y):
        nonlocal key
        key, now = jax.random.split(key)
        numpyro.sample("y", dist.Normal(jax.random.normal(now), 1.0), obs=y)

    found = examine(model, 1.0, checks=["state"]).findings
    assert [(row.id, "kept-in-model" in row.cases) for row in found] == [
        ("tracer-kept", False), ("data-kept", False)
    ]  # fmt: skip


def test_a_model_that_takes_no_other_data_is_said_not_to_be_answered():
    survey = np.array([0.5, 1.0, 4.0])
    model = Standardised(only(lambda data: np.array_equal(data, survey)))
    report = examine(model, survey, checks=["state"])
    assert not report.findings and not report.ok
    assert "takes no other data" in report.not_run[0].why


# --- the compiler ----------------------------------------------------------------------------


def network(x, y):
    """A small net, row by row, as `vmap` makes it."""
    weights = numpyro.sample("weights", dist.Normal(0.0, 1.0).expand([3, 3]).to_event(2))
    mean = jax.vmap(lambda row: jnp.sum(jnp.tanh(weights @ row)))(x)
    with numpyro.plate("row", len(x)):
        numpyro.sample("y", dist.Normal(mean, 0.1), obs=y)


def quantiles(x, y):
    """A heavy-tailed regression."""
    slope = numpyro.sample("slope", dist.Normal(0.0, 1.0).expand([3]).to_event(1))
    with numpyro.plate("row", len(x)):
        numpyro.sample("y", dist.AsymmetricLaplaceQuantile(x @ slope, 1.0, 0.8), obs=y)


def rows(number):
    """Data of so many rows, with 64 bits."""
    draws = np.random.default_rng(5).normal(size=(number, 4))
    return draws[:, :3], draws[:, 3]


@pytest.fixture
def doubles():
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


def test_the_compiler_is_compared_only_where_data_are_large(doubles):
    report = examine(network, *rows(50), checks=["compiled"])
    assert [quiet.check for quiet in report.nothing] == ["compiled"]
    assert examine(network, *rows(50), checks=["compiled"], slow=True).ok


def test_the_size_of_what_a_model_holds_is_known_whatever_the_keys_beside_it():
    from examine_model.checks import compiled

    def model():
        x = numpyro.sample("x", dist.Normal(0.0, 1.0))
        numpyro.sample("y", dist.Normal(x * held["sum"], 1.0), obs=whole.sum())

    held, whole = {"sum": 1.0, None: "total"}, jnp.ones(compiled.LARGE + 1)
    report = examine(model, checks=["compiled"])
    assert report.ran == ["compiled"], report


@pytest.mark.slow
def test_what_this_compiler_does_to_a_large_model_is_what_is_said(doubles):
    x, y = rows(20_000)
    weights = np.random.default_rng(6).normal(size=(3, 3))
    mean = jax.jit(lambda w, x: jax.vmap(lambda row: jnp.sum(jnp.tanh(w @ row)))(x))(weights, x)
    right = np.allclose(mean, np.tanh(x @ weights.T).sum(1))
    report = examine(network, x, y, checks=["compiled"])
    assert report.ok is right, report


def test_a_compiler_that_is_wrong_in_one_row_is_found(monkeypatch):
    from examine_model.checks import compiled

    def shifted(context):
        return {name: rows.at[17].add(-0.1) if rows.ndim else rows
                for name, rows in right(context).items()}  # fmt: skip

    right = compiled.densities_compiled
    x, y = (part.astype("float32") for part in rows(20_000))
    assert examine(quantiles, x, y, checks=["compiled"]).ok
    monkeypatch.setattr(compiled, "densities_compiled", shifted)
    (finding,) = examine(quantiles, x, y, checks=["compiled"]).findings
    assert (finding.id, finding.site) == ("miscompiled", "y")
    assert "1 of 20,000 rows differ" in finding.says


# --- row by row ---------------------------------------------------------------------------------


def level_of(stale):
    """Return a model of many rows whose mean is shifted, and keeps an old shift if it is stale."""
    shift = 0.0 if stale else 0.04
    shifted = jax.jit(lambda level: level + shift)
    shifted(jnp.float32(0.0))
    shift = 0.04

    def model(y):
        level = numpyro.sample("level", dist.Normal(0.0, 0.1))
        with numpyro.plate("row", len(y)):
            numpyro.sample("y", dist.Normal(shifted(level), 1.0), obs=y)

    return model


def test_a_program_that_makes_a_likelihood_of_100_000_rows_wrong_by_84_nats_is_found():
    y = np.random.default_rng(0).normal(0.021, size=100_000).astype("float32")
    gap = jnp.sum(dist.Normal(0.04).log_prob(y) - dist.Normal(0.0).log_prob(y))
    size = jnp.sum(jnp.abs(dist.Normal(0.0).log_prob(y)))
    assert abs(gap) < 1e-3 * size, "beside the sum it is small"
    report = examine(level_of(stale=True), y, checks=["jit", "precision"])
    assert [(finding.id, finding.site) for finding in report.findings] == [("stale-program", "y")]
    assert examine(level_of(stale=False), y, checks=["jit", "precision"]).ok


# --- the likelihood, its support, its precision --------------------------------------------------

Z = np.random.default_rng(1).normal(size=40).astype("float32")


def regressed(x, y):
    """A regression, whatever the shapes of its data are."""
    slope = numpyro.sample("slope", dist.Normal(0.0, 1.0))
    numpyro.sample("y", dist.Normal(slope * x, 1.0), obs=y)


def of_groups(y):
    """Each observation is of one row and all columns."""
    effect = numpyro.sample("effect", dist.Normal(0.0, 1.0))
    with numpyro.plate("row", y.shape[0], dim=-2), numpyro.plate("column", 3, dim=-1):
        numpyro.sample("y", dist.Normal(effect, 1.0), obs=y)


def several(y):
    """Vectors of observations, row by row."""
    mean = numpyro.sample("mean", dist.Normal(0.0, 1.0).expand([2]).to_event(1))
    with numpyro.plate("row", len(y)):
        numpyro.sample("y", dist.MultivariateNormal(mean, jnp.eye(2)), obs=y)


def law_of(make):
    """Return a model of observations with a law that is made from a rate that is drawn."""

    def model(y):
        rate = numpyro.sample("rate", dist.LogNormal(0.0, 0.5))
        with numpyro.plate("row", len(y)):
            numpyro.sample("y", make(rate), obs=y)

    return model


def partly(y):
    """Observations of which the negative ones are masked."""
    with handlers.mask(mask=y > 0):
        law_of(dist.Exponential)(y)


def noisy(rng_key):
    """Return a model with noise of its own."""

    def model(y):
        level = numpyro.sample("level", dist.Normal(0.0, 1.0))
        own = numpyro.prng_key() if rng_key is None else rng_key
        numpyro.sample("y", dist.Normal(level + jax.random.normal(own), 1.0), obs=y)

    return model


def initial(y):
    """A parameter that begins at the same numbers in each run."""
    start = jax.random.normal(jax.random.PRNGKey(0), (3,))
    numpyro.sample("y", dist.Normal(jnp.sum(numpyro.param("w", start)), 1.0), obs=y)


def averaged(people, age):
    """A mean of whole numbers, whose sum may be beyond 32 bits."""
    mean = (people * age).sum() / people.sum()
    numpyro.sample("y", dist.Normal(mean, numpyro.sample("sigma", dist.HalfNormal(1.0))), obs=40.0)


def subsampled(x):
    """Some rows, chosen by an index that is traced, beside a latent that changes nothing."""
    numpyro.sample("unused", dist.Uniform(0.0, 1.0))
    mean = numpyro.sample("mean", dist.Normal())
    with numpyro.plate("rows", len(x), subsample_size=5) as chosen:
        numpyro.sample("y", dist.Normal(mean, 1.0), obs=x[chosen])


def counted_in_32(people):
    """A loop whose counter has to stay as it is given."""
    count, _ = jax.lax.scan(lambda n, x: (n + jnp.int32(1), None), people[0], jnp.ones(3))
    numpyro.sample("y", dist.Normal(count, numpyro.sample("sigma", dist.HalfNormal(1.0))), obs=4.0)


def solved(large, until):
    """A root of Newton's, after so many steps or until they are small, beside a large number."""

    def root(x):
        def better(y):
            return 0.5 * (y + x / y)

        if until:
            return jax.lax.while_loop(lambda y: jnp.abs(y * y - x) > until, better, 1.0 + x)
        return jax.lax.fori_loop(0, 20, lambda _, y: better(y), 1.0 + x)

    return law_of(lambda rate: dist.Normal(1e3 * ((large + root(rate)) - large), 1.0))


def mapped(hidden, split):
    """Noise for three lanes, drawn inside `vmap` from one key, or from one for each lane."""

    def lane(mean, key):
        with handlers.seed(rng_seed=key):
            return numpyro.sample("noise", dist.Normal(mean, 1.0))

    def model():
        means = numpyro.sample("mean", dist.Normal(jnp.zeros(3), 1.0).to_event(1))
        keys = jax.random.split(numpyro.prng_key(), 3) if split else None
        with handlers.block() if hidden else contextlib.nullcontext():
            noisy = jax.vmap(lane)(means, keys)
        numpyro.deterministic("noisy", noisy)

    return model


def replicated(shared):
    """Two replicates of one law, each under a key of its own or both under one."""

    def model():
        key = numpyro.prng_key()
        for number in range(2):
            own = key if shared or key is None else jax.random.fold_in(key, number)
            with handlers.seed(rng_seed=own):
                numpyro.sample(f"replicate_{number}", dist.Normal(0.0, 1.0))

    return model


def mapped_over_scales(y):
    """A standard normal is drawn in `vmap`, and then scaled: one number for all lanes."""
    scale = jnp.array([1.0, 2.0, 3.0])
    each = jax.vmap(lambda scale: scale * numpyro.sample("z", dist.Normal(0.0, 1.0)))(scale)
    numpyro.sample("y", dist.Normal(each.sum(), 1.0), obs=y)


def alive(seen):
    """Animals that are seen, whether they are alive or not, in a draw of the prior."""
    chance = numpyro.sample("chance", dist.Beta(1.0, 1.0))
    with numpyro.plate("animal", len(seen)):
        alive = numpyro.sample("alive", dist.Bernoulli(chance), infer={"enumerate": "parallel"})
        numpyro.sample("seen", dist.Bernoulli(0.5 * alive), obs=seen)


@pytest.mark.slow
@pytest.mark.parametrize("model", [functools.partial(regressed, 1.0), alive])
def test_a_finished_run_has_the_energy_of_its_model_also_where_it_sums_over_latents(model):
    if model is alive:
        pytest.importorskip("funsor")
    mcmc = MCMC(NUTS(model), num_warmup=1, num_samples=2, progress_bar=False)
    mcmc.run(jax.random.PRNGKey(0), np.ones(40))
    assert examine(mcmc, np.ones(40), checks=["mcmc"]).ok
    (finding,) = examine(mcmc, np.zeros(40), checks=["mcmc"]).findings
    assert finding.id == "other-energy"


def cancelling(large):
    """A square that is computed as a difference of large numbers, each time in another order."""

    def model(y):
        level = numpyro.sample("level", dist.Normal(y, 1.0))
        numpyro.factor("square", large**2 + 2 * large * level - (large + level) ** 2)

    return model


def closed_over(y):
    """A data array of doubles in the model, which JAX takes with 32 bits first and then with 64."""
    slope = numpyro.sample("slope", dist.Normal(0.0, 1.0))
    numpyro.sample("y", dist.Normal(jax.jit(lambda slope: DOUBLES * slope)(slope), 1.0), obs=y)


DOUBLES = np.linspace(-1.0, 1.0, 40)
PEOPLE = jnp.arange(400_000, 1_600_000, 20_000)
COUNTS = np.float32([88, 91, 97, 112, 73])
MANY = np.float32([999_000, 1_001_000, 1_000_100])
NEW = [
    ("likelihood", regressed, (Z[:, None], Z), "broadcast"),
    ("likelihood", regressed, (Z, Z[:, None]), "broadcast"),
    ("likelihood", of_groups, (Z[:, None],), ""),
    ("likelihood", several, (Z.reshape(20, 2),), ""),
    ("likelihood", regressed, (Z, Z), ""),
    ("likelihood", regressed, (Z, 1.0), ""),
    ("likelihood", functools.partial(regressed, 1.0), (Z,), "hint of missing-plate"),
    ("support", law_of(dist.Exponential), (Z,), "impossible-observation"),
    ("support", law_of(lambda rate: dist.Beta(rate, 2.0)), (np.float32([0.5, 1.5]),),
     "impossible-observation"),
    ("support", law_of(lambda rate: dist.Uniform(0.0, rate)), (jnp.array([0.1, 90.0]),),
     "hint of impossible-observation"),
    ("support", law_of(lambda rate: dist.Uniform(0.0, rate)), (jnp.array([0.01, 0.02]),), ""),
    ("support", law_of(dist.Exponential), (abs(Z),), ""),
    ("support", law_of(dist.Poisson), (COUNTS,), ""),
    ("support", partly, (Z,), ""),
    ("precision", closed_over, (Z,), ""),
    ("precision", functools.partial(regressed, DOUBLES), (Z,), ""),
    ("precision", law_of(lambda rate: dist.NegativeBinomial2(100.0, 1e8 * rate)), (COUNTS,),
     "float32"),
    ("precision", law_of(lambda rate: dist.StudentT(1e7 * rate, 0.0, 1.0)), (Z,), "float32"),
    ("precision", law_of(lambda rate: dist.Poisson(1e6 * rate)), (MANY,), "float32"),
    ("precision", law_of(lambda rate: dist.NegativeBinomial2(100.0, 10 * rate)), (COUNTS,), ""),
    ("precision", law_of(lambda rate: dist.StudentT(4.0 * rate, 0.0, 1.0)), (Z,), ""),
    ("precision", law_of(dist.Gamma), (abs(Z),), ""),
    ("precision", averaged, (PEOPLE, PEOPLE % 7 + 38), "int32"),
    ("precision", averaged, (PEOPLE // 1000, PEOPLE % 7 + 38), ""),
    ("precision", counted_in_32, (jnp.arange(3),), ""),
    ("precision", subsampled, (jnp.asarray(Z),), ""),
    ("round_trip", subsampled, (jnp.asarray(Z),), ""),
    ("precision", regressed, (1e4 * Z, 1e4 * Z), ""),
    ("precision", solved(1e4, until=0.0), (Z,), "float32"),
    ("precision", solved(1e4, until=0.05), (Z,), "hint of float32"),
    ("precision", solved(0.0, until=0.05), (Z,), ""),
    ("precision", alive, (np.ones(40),), ""),
    ("jit", cancelling(1e4), (0.0,), "jit-differs"),
    ("jit", cancelling(1.0), (0.0,), ""),
    ("keys", noisy(jax.random.PRNGKey(0)), (1.0,), "hint of fixed-draw"),
    ("keys", noisy(None), (1.0,), ""),
    ("keys", initial, (1.0,), ""),
    ("keys", replicated(shared=True), (), "hint of same-key"),
    ("keys", replicated(shared=False), (), ""),
    ("keys", mapped_over_scales, (1.0,), "hint of one-key-for-lanes"),
    ("keys", mapped(hidden=True, split=False), (), "one-key-for-lanes"),
    ("keys", mapped(hidden=False, split=False), (), "one-key-for-lanes"),
    ("keys", mapped(hidden=True, split=True), (), ""),
]  # fmt: skip
FIRST = {row[0]: row for row in reversed(NEW)}
ROWS = [pytest.param(*row, marks=() if row is FIRST[row[0]] else pytest.mark.slow) for row in NEW]


@pytest.mark.parametrize(("check", "model", "data", "wanted"), ROWS)
def test_what_a_check_says_of_a_model(check, model, data, wanted):
    report = examine(model, *data, checks=[check])
    assert not report.not_run, report
    said = [finding.id for finding in report.findings] + [
        f"hint of {hint.id}" for hint in report.hints
    ]
    assert said == [wanted] * bool(wanted), report


def taken(x):
    """Some rows of an array that NumPyro takes itself, in a function under `jit` of JAX."""
    mean = numpyro.sample("mean", dist.Normal(jnp.zeros(3), 1.0).to_event(1))
    with numpyro.plate("rows", len(x), subsample_size=5):
        numpyro.sample("y", dist.Normal(numpyro.subsample(x, 1) @ mean, 1.0), obs=jnp.ones(5))


def test_doubles_in_a_partial_that_the_guide_holds_too_have_64_bits():
    model = functools.partial(taken, DOUBLES[:36].reshape(12, 3))
    guide = AutoNormal(model, create_plates=lambda: numpyro.plate("rows", 12, subsample_size=5))
    report = examine(model, guide=guide, checks=["precision"])
    assert report.ran == ["precision"] and report.ok, report


def test_a_site_that_is_named_after_a_tracer_is_another_site_with_64_bits():
    def model(y):
        mean = numpyro.sample("mean", dist.Normal())
        seen = jax.jit(lambda i: numpyro.sample(f"y_{i}", dist.Normal(mean), obs=y))
        seen(0)

    (skipped,) = examine(model, 1.0, checks=["precision"]).not_run
    assert skipped.why == "with 64 bits the model has other sites"


# --- precision at the optimum ------------------------------------------------------------------


def lake(zero):
    """Levels of a lake above the sea, measured better than their prior says."""

    def model(y):
        offset = numpyro.sample("offset", dist.Normal(0.0, 1.0))
        noise = numpyro.sample("noise", dist.LogNormal(0.0, 0.5))
        with numpyro.plate("day", len(y)):
            numpyro.sample("y", dist.Normal(zero + offset, noise), obs=y)

    return model


def doses(log_of_others):
    """Deaths that a dose separates, with a logistic density that is written by hand."""

    def model(dose, died):
        slope = numpyro.sample("slope", dist.Normal(0.0, 2.0))
        chance = 1.0 / (1.0 + jnp.exp(-slope * dose))
        others = log_of_others(slope * dose, chance)
        numpyro.factor("died", died * jnp.log(chance) + (1.0 - died) * others)

    return model


AT = np.random.default_rng(3)
LEVELS = 1e4 + AT.normal(0.0, 0.002, 200)
DOSE = np.float32(np.linspace(-3.0, 3.0, 200))
AT_THE_OPTIMUM = [
    (lake(1e4), (LEVELS,), "float32"),
    (lake(0.0), (LEVELS - 1e4,), ""),
    (doses(lambda _, chance: jnp.log(1.0 - chance)), (DOSE, DOSE > 0.0), "float32"),
    (doses(lambda logit, _: -jax.nn.softplus(logit)), (DOSE, DOSE > 0.0), ""),
]  # fmt: skip


@pytest.mark.parametrize(("model", "data", "wanted"), AT_THE_OPTIMUM)
def test_what_rounding_costs_is_found_at_the_optimum_where_no_prior_draw_shows_it(
    model, data, wanted
):
    report = examine(model, *data, checks=["precision"])
    assert report.ran == ["precision"] and not report.hints, report
    assert [finding.id for finding in report.findings] == [wanted] * bool(wanted), report
    assert all(finding.says.startswith("at the optimum") for finding in report.findings)


@pytest.mark.parametrize(("noise", "kind"), [(0.1, "hints"), (1e-5, "findings")])
def test_what_rounding_costs_far_below_an_optimum_that_it_spares_is_a_hint(noise, kind):
    """The sum loses a part in 500 of each mean; where the data are, that is 0.0001."""

    def model(y):
        x = numpyro.sample("x", dist.Normal(0.0, 1.0))
        numpyro.sample("y", dist.Normal(1e6 * x + 30.0 * x - 1e6 * x, noise), obs=y)

    report = examine(model, 0.05, checks=["precision"])
    assert [row.id for row in getattr(report, kind)] == ["float32"], report
    assert len(report.findings) + len(report.hints) == 1, report


@pytest.mark.parametrize(("at", "outside"), [(-2.0, 0), (-200.0, 1)])
def test_a_climb_does_not_go_where_32_bits_take_a_value_for_zero(at, outside):
    def model():
        numpyro.sample("rate", dist.Gamma(0.3, 0.3))

    wide = Wide(Context(model, (), {}, jax.random.PRNGKey(0)), climbs=True)
    climbing = row_of(wide.drawn, 0), {"rate": np.float64(at)}, np.bool_(True)
    assert wide.program(*climbing)[0][1][2] == outside


def test_a_gradient_that_no_draw_shows_is_not_passed_over_in_silence():
    def model():
        x = numpyro.sample("x", dist.Normal())
        numpyro.factor("above", jnp.where(x > 9.0, 0.0, -jnp.inf))

    (skipped,) = examine(model, checks=["round_trip"]).not_run
    assert skipped.why == "no gradient is compared: none of 8 prior draws has a finite density"


def test_a_climb_ends_at_the_top_or_where_numbers_end_and_stays_in_its_box():
    def hill(point):
        off = np.array([1.0, 30.0]) * (point - np.array([3.0, -2.0]))
        return float(-off @ off), -2.0 * np.array([1.0, 30.0]) * off

    def endless(point):
        with np.errstate(all="ignore"):
            return (float(-np.log(-point[0])), -1.0 / point) if point[0] < -0.5 else (np.nan, point)

    start, box = np.zeros(2), (np.full(2, -9.0), np.full(2, 9.0))
    assert np.allclose(climb(hill, start, *box), [3.0, -2.0], atol=0.1)
    assert np.allclose(climb(hill, start, box[0], np.ones(2)), [1.0, -2.0], atol=0.1)
    assert climb(endless, -np.ones(1), box[0][:1], box[1][:1])[0] <= -0.5
    assert climb(lambda point: (0.0, 0.0 * point), start, *box) is None
    assert climb(lambda point: (0.0, np.nan * point), start, *box) is None
