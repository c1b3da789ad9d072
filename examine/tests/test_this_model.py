"""A finding is true of this model, and silence means that something was compared.

The models here were not made from the cases of the checks: they are what people write.
"""

import itertools
import random

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
import pytest
from examine_model import driver, examine, known
from examine_model.report import Report
from numpyro.contrib.control_flow import scan
from numpyro.infer import MCMC, NUTS, SVI, Trace_ELBO
from numpyro.infer.autoguide import AutoNormal
from numpyro.optim import Adam

DOSE = jnp.linspace(-1.0, 1.0, 21)
DEATHS = jnp.asarray([0] * 6 + [1, 0, 1, 0, 0, 1, 1, 0, 1] + [1] * 6)
ALONE = [name for name in driver.CHECKS if name not in driver.OF_MORE]


def survival(dose, deaths=None):
    """A logistic regression, centred, with a shared slope."""
    threshold = numpyro.sample("threshold", dist.StudentT(4.0, 0.0, 1.0))
    slope = numpyro.sample("slope", dist.LogNormal(0.0, 0.7))
    with numpyro.plate("animal", len(dose)):
        logits = slope * (dose - threshold)
        numpyro.sample("deaths", dist.Bernoulli(logits=logits), obs=deaths)


def drift(counts):
    """Counts whose rate walks."""
    start = numpyro.sample("start", dist.Normal(1.0, 1.0))

    def year(log_rate, count):
        log_rate = numpyro.sample("log_rate", dist.Normal(log_rate, 0.2))
        numpyro.sample("count", dist.Poisson(jnp.exp(log_rate)), obs=count)
        return log_rate, None

    scan(year, start, counts)


# --- each check alone, in any order, twice -----------------------------------------------------


@pytest.mark.parametrize("check", ALONE)
def test_each_check_answers_alone_and_again(check):
    for _ in range(2):
        report = examine(drift, jnp.array([3, 2, 5, 4]), checks=[check], slow=True)
        assert (report.ran, report.findings, report.not_run) == ([check], [], []), report


@pytest.mark.slow
def test_each_check_answers_after_each_other(monkeypatch):
    for pair in itertools.permutations(ALONE, 2):
        chosen = {name: driver.CHECKS[name] for name in pair}
        with monkeypatch.context() as patch:
            patch.setattr(driver, "CHECKS", chosen)
            report = examine(survival, DOSE, DEATHS, slow=True)
        assert not report.findings and not report.not_run, (pair, report)


def test_what_goes_wrong_in_a_check_is_not_blamed_on_the_model(monkeypatch):
    def broken(context):
        raise KeyError("no such row")

    monkeypatch.setitem(driver.CHECKS, "shapes", broken)
    (row,) = examine(survival, DOSE, DEATHS, checks=["shapes"]).not_run
    assert row.why.startswith("`examine` itself fails with KeyError")


def test_what_the_model_raises_under_jit_is_its_own():
    def decides(dose):
        threshold = numpyro.sample("threshold", dist.Normal(0.0, 1.0))
        side = 1.0 if threshold > 0 else -1.0
        numpyro.sample("y", dist.Normal(side * dose, 1.0).to_event(1), obs=dose)

    (row,) = examine(decides, DOSE, checks=["jit"]).not_run
    assert row.why.startswith("under `jit` the model raises TracerBoolConversionError")


# --- priors as arguments ---------------------------------------------------------------------


def with_priors(centre, spread):
    """A model whose priors the caller chooses."""
    centre = numpyro.sample("centre", centre)
    spread = numpyro.sample("spread", spread)
    numpyro.sample("y", dist.Normal(centre, spread).to_event(0), obs=0.3)


@pytest.mark.parametrize(
    ("centre", "spread"),
    [
        (dist.Normal(0.0, 1.0), dist.HalfNormal(1.0)),
        (dist.Uniform(-5.0, 5.0), dist.Exponential(2.0)),
        (dist.Beta(2.0, 3.0), dist.HalfCauchy(1.0)),
        (dist.Gumbel(0.0, 2.0), dist.Gamma(2.0, 1.0)),
        (dist.TruncatedNormal(0.0, 1.0, low=-1.0), dist.LogNormal(0.0, 1.0)),
    ],
)
def test_a_prior_that_is_handed_over_is_neither_a_finding_nor_a_hint(centre, spread):
    report = examine(with_priors, centre, spread, checks=["pytree"])
    assert report.ok and not report.hints, report


def test_a_law_that_a_jitted_helper_scores_is_found_with_a_bound_on_either_side():
    penalty = jax.jit(lambda law, value: law.log_prob(value).sum())

    def bounded(law):
        x = numpyro.sample("x", dist.Normal(0.0, 1.0))
        numpyro.factor("penalty", penalty(law, jnp.tanh(x)))

    for law in (dist.Uniform(-5.0, 5.0), dist.Exponential(1.0)):
        report = examine(bounded, law, checks=["pytree"])
        assert [found.check for found in report.findings] == ["pytree"], report


# --- guides and folded distributions ---------------------------------------------------------


@pytest.mark.slow
def test_a_guide_that_was_fitted_once_is_no_finding():
    guide = AutoNormal(survival)
    svi = SVI(survival, guide, Adam(0.05), Trace_ELBO())
    svi.run(jax.random.PRNGKey(3), 20, DOSE, DEATHS, progress_bar=False)
    report = examine(survival, DOSE, DEATHS, guide=guide, checks=["guide"])
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
    class Censored(dist.Normal):
        """A normal that is seen up to a limit; the limit is no declared field."""

        def __init__(self, loc, limit):
            self.limit = limit
            super().__init__(loc, 1.0)

        def log_prob(self, value):
            above = jnp.log1p(-jax.scipy.stats.norm.cdf(self.limit - self.loc))
            return jnp.where(value >= self.limit, above, super().log_prob(value))

    def wages(seen):
        def year(level, row):
            limit, value = row
            numpyro.sample("wage", Censored(level, limit), obs=value)
            return level + 0.1, None

        scan(year, 0.0, seen)

    limits = jnp.array([0.5, 1.0, 1.5, 2.0])
    report = examine(wages, (limits, jnp.array([0.5, 0.2, 1.5, 1.0])), checks=["scan"])
    assert all(not found.cases for found in report.findings), report


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


def sorted_only(times):
    if not np.all(np.diff(times) >= 0):
        raise ValueError("Times go forward.")
    return np.asarray(times)


def shares(parts):
    if not np.isclose(np.sum(parts), 1.0):
        raise ValueError("Shares sum to one.")
    return np.asarray(parts) ** 2


@pytest.mark.parametrize(
    ("read", "data"),
    [
        (np.asarray, [0.4, 1.9, 0.8, 2.2]),
        (np.asarray, np.array([4.0, 1.0, 2.5])),
        (sorted_only, np.array([0.5, 1.0, 4.0])),
        (shares, np.array([0.2, 0.3, 0.5])),
        (lambda data: np.asarray(data["y"]), {"y": np.array([4.0, 1.0, 2.5]), "group": [0, 1, 1]}),
        (lambda rate: np.array([rate, 2.0, 3.0]), 0.5),
    ],
)
def test_what_is_kept_of_the_first_data_is_found_whatever_the_data_are(read, data):
    report = examine(Standardised(read), data, checks=["state"])
    assert [found.cases for found in report.findings] == [("kept-in-model",)], report


def test_what_is_kept_of_a_frame_is_found():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"y": [4.0, 1.0, 2.5], "place": ["a", "b", "a"]})
    report = examine(Standardised(lambda frame: frame["y"].to_numpy()), frame, checks=["state"])
    assert [found.cases for found in report.findings] == [("kept-in-model",)], report


def test_a_model_that_takes_no_other_data_is_said_not_to_be_answered():
    fixed = np.array([0.5, 1.0, 4.0])

    def only_these(data):
        if not np.array_equal(data, fixed):
            raise ValueError("Unknown survey.")
        return np.asarray(data)

    report = examine(Standardised(only_these), fixed.copy(), checks=["state"])
    assert not report.findings and not report.ok
    assert "takes no other data" in report.not_run[0].why


def test_nothing_to_compare_is_said_and_is_not_ok():
    for nothing in (np.zeros, lambda shape: None):
        report = examine(nothing, 3)
        assert not report.ok and not report.ran, report
        assert {row.why for row in report.nothing} == {"the model has no sample site"}
    report = examine(survival, DOSE, DEATHS, checks=["keys", "scan"])
    assert report.ok and report.strict
    assert [(row.check, row.why) for row in report.nothing] == [
        ("scan", "the model has no `scan` of NumPyro")
    ]
    assert "Nothing to compare\n  scan: the model has no" in str(report)


def test_strict_asks_that_each_check_answered():
    report = Report("tank", ran=["keys"])
    assert report.strict
    report.not_run.append(driver.NotRun("jit", "it takes long"))
    assert report.ok and not report.strict


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


@pytest.mark.parametrize("model", [network, quantiles])
def test_the_compiler_is_compared_only_where_data_are_large(model, doubles):
    report = examine(model, *rows(50), checks=["compiled"])
    assert [row.check for row in report.nothing] == ["compiled"]
    assert examine(model, *rows(50), checks=["compiled"], slow=True).ok


@pytest.mark.slow
def test_what_this_compiler_does_to_a_large_model_is_what_is_said(doubles):
    x, y = rows(20_000)
    weights = np.random.default_rng(6).normal(size=(3, 3))
    mean = jax.jit(lambda w, x: jax.vmap(lambda row: jnp.sum(jnp.tanh(w @ row)))(x))(weights, x)
    right = np.allclose(mean, np.tanh(x @ weights.T).sum(1))
    report = examine(network, x, y, checks=["compiled"])
    assert report.ok is right, report
    assert examine(quantiles, x, y, checks=["compiled"]).ok


def test_a_sum_that_is_wrong_by_more_than_rounding_is_found(monkeypatch):
    from examine_model.checks import compiled

    def shifted(context):
        return {name: total - 84.0 for name, total in right(context).items()}

    right = compiled.densities_compiled
    x, y = (part.astype("float32") for part in rows(100_000))
    assert examine(quantiles, x, y, checks=["compiled"]).ok
    monkeypatch.setattr(compiled, "densities_compiled", shifted)
    report = examine(quantiles, x, y, checks=["compiled"])
    assert "y" in {found.site for found in report.findings}, report


# --- manners ---------------------------------------------------------------------------------


def test_generators_of_python_and_numpy_go_on_as_if_nothing_had_been():
    def noisy(y):
        numpyro.sample("y", dist.Normal(np.random.normal() + random.random(), 1.0), obs=y)

    random.seed(7)
    np.random.seed(7)
    expected = random.random(), np.random.random()
    random.seed(7)
    np.random.seed(7)
    examine(noisy, 1.0)
    assert (random.random(), np.random.random()) == expected


def test_what_a_model_gathers_costs_as_much_as_there_is_of_it():
    import time

    def seconds(number):
        gathered = []

        def model():
            gathered.extend(range(number))
            numpyro.sample("x", dist.Normal(0.0, 1.0))

        begun = time.process_time()
        assert examine(model, checks=["state"]).ran == ["state"]
        assert not gathered
        return time.process_time() - begun

    seconds(10)
    assert seconds(16_000) < 8 * max(seconds(4_000), 0.1)


def test_a_sampler_without_a_model_is_refused_in_words():
    mcmc = MCMC(NUTS(potential_fn=lambda z: z**2), num_warmup=1, num_samples=1)
    with pytest.raises(TypeError, match="made from a `potential_fn`"):
        examine(mcmc)


def test_a_release_that_is_known_to_be_wrong_is_said_first(monkeypatch):
    assert {"jax", "jaxlib", "numpyro"} <= set(known.installed())
    monkeypatch.setattr(known, "known_bad", lambda versions: [f"jax {versions['jax']} is odd."])
    report = examine(survival, DOSE, DEATHS, checks=["keys"])
    assert str(report).startswith(f"Known: jax {jax.__version__} is odd.\n\nsurvival: nothing")
    assert report.ok
