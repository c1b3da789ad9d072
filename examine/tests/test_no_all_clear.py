"""That nothing is called whole for want of looking: slopes, indices, data, state, manners."""

import contextvars
import dataclasses
import random
import signal
import sys
import types

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
import pytest
from examine_model import examine, known, running, shell
from examine_model.report import IDS, Finding, NotRun, Report
from numpyro import handlers
from numpyro.distributions import constraints
from numpyro.distributions.transforms import AffineTransform, ExpTransform
from numpyro.infer import MCMC, NUTS, SA
from numpyro.infer.autoguide import AutoNormal

X = np.random.default_rng(0).normal(size=30).astype("float32")
COUNTS = np.repeat([3, 1], 20)


def ids(report):
    """Return the ids of the findings, and those of the hints."""
    return [finding.id for finding in report.findings], [finding.id for finding in report.hints]


# --- the gradient, against differences -----------------------------------------------------------


@jax.custom_jvp
def doubled(x):
    return 2.0 * x


@doubled.defjvp
def _(primals, tangents):
    return doubled(*primals), tangents[0]


def line(slope, noise=dist.HalfNormal):
    """A line whose slope goes through a function first."""

    def model(x, y):
        a = numpyro.sample("a", dist.Normal(0.0, 1.0))
        b = numpyro.sample("b", dist.Normal(0.0, 1.0))
        spread = numpyro.sample("spread", noise(1.0))
        with numpyro.plate("row", len(x)):
            numpyro.sample("y", dist.Normal(a + slope(b) * x, spread), obs=y)

    return model


def changes(at):
    """Counts whose rate changes at a year that is drawn; `at` says what is after it."""

    def model(counts):
        year = numpyro.sample("year", dist.Uniform(0.0, len(counts)))
        rate = numpyro.sample("rate", dist.Gamma(2.0, 1.0).expand([2]).to_event(1))
        after = at(jnp.arange(len(counts)), year)
        with numpyro.plate("row", len(counts)):
            numpyro.sample("y", dist.Poisson(rate[0] + after * (rate[1] - rate[0])), obs=counts)

    return model


@pytest.mark.parametrize(
    ("model", "data", "wanted"),
    [
        (line(jax.lax.stop_gradient), (X, 2 * X), ["wrong-gradient"]),
        (line(doubled), (X, 2 * X), ["wrong-gradient"]),
        (line(jnp.round), (X, 2 * X), ["jumps"]),
        (line(jnp.abs), (X, 2 * X), []),
        (line(lambda b: b), (X, 2 * X), []),
        (line(lambda b: jnp.tanh(20.0 * b), dist.HalfCauchy), (X, 2 * X), []),
        (changes(lambda row, year: row >= jnp.floor(year)), (COUNTS,), ["jumps"]),
        (changes(lambda row, year: jax.nn.sigmoid(4.0 * (row - year))), (COUNTS,), []),
    ],
)
def test_the_gradient_adds_up_to_what_the_density_changes_by(model, data, wanted):
    report = examine(model, *data, checks=["slope"])
    assert ids(report) == (wanted, []) and report.ran == ["slope"], report


each_key = pytest.mark.parametrize(
    "key", [0, *(pytest.param(key, marks=pytest.mark.slow) for key in (1, 2))]
)


@each_key
@pytest.mark.parametrize(
    "chosen",
    [
        jnp.round,
        jnp.sign,
        lambda b: b.astype(int),
        lambda b: jnp.where(b > 0.0, 1.0, -1.0),
        lambda b: jnp.array([0.0, 1.0])[jnp.argmax(jnp.array([b, 0.2]))],
        lambda b: jax.lax.cond(b > 0.2, lambda: 1.0, lambda: 0.0),
    ],
)
def test_a_latent_that_jumps_at_one_place_is_found(chosen, key):
    report = examine(line(chosen), X, 2 * X, checks=["slope"], rng_key=key)
    assert [(finding.id, finding.site) for finding in report.findings] == [("jumps", "b")], report


def around(law, prior=dist.Normal):
    """Data by some law around a latent."""

    def model(y):
        b = numpyro.sample("b", prior(0.0, 1.0))
        spread = numpyro.sample("spread", dist.HalfNormal(1.0))
        with numpyro.plate("row", len(y)):
            numpyro.sample("y", law(b, spread), obs=y)

    return model


def mixed(b, spread):
    one, other = dist.Normal(b, spread), dist.Laplace(0.0, 1.0)
    return dist.MixtureGeneral(dist.Categorical(jnp.array([0.3, 0.7])), [one, other])


def ordered(y):
    a, b = (numpyro.sample(name, dist.Normal(0.0, 1.0)) for name in "ab")
    numpyro.factor("ordered", jnp.where(a < b, 0.0, -1e4))  # what is refused is no step
    with numpyro.plate("row", len(y)):
        numpyro.sample("y", dist.Normal(a + b, 1.0), obs=y)


@each_key
@pytest.mark.parametrize(
    ("model", "data"),
    [
        (ordered, (X,)),
        (line(jax.nn.relu), (X, 2 * X)),
        (line(lambda b: jnp.clip(b, -0.5, 0.5)), (X, 2 * X)),
        (line(lambda b: jnp.where(b > 0.0, b**2, -3.0 * b)), (X, 2 * X)),
        (line(lambda b: jnp.interp(b, jnp.array([-0.1, 0.1]), jnp.array([3.0, -3.0]))), (X, 2 * X)),
        (line(lambda b: jax.nn.sigmoid(b / 1e-2)), (X, 2 * X)),
        (line(lambda b: jax.nn.sigmoid(b / 1e-5)), (X, 2 * X)),
        (line(lambda b: jnp.log(jnp.abs(b))), (X, 2 * X)),
        (around(dist.Laplace), (X,)),
        (around(dist.Laplace, dist.Uniform), (np.round(X),)),
        (around(lambda b, spread: dist.StudentT(2.0, b, spread), dist.Laplace), (X,)),
        (around(lambda b, spread: dist.TruncatedNormal(b, spread, low=-3.0, high=3.0)), (X,)),
        (around(mixed), (X,)),
    ],
)
def test_a_kink_or_a_steep_slope_is_no_jump(model, data, key):
    report = examine(model, *data, checks=["slope"], rng_key=key)
    assert ids(report) == ([], []) and report.ran == ["slope"], report


# --- what is read outside ------------------------------------------------------------------------


def effects(read):
    """Effects of four groups, read by labels."""

    def model(label, y):
        effect = numpyro.sample("effect", dist.Normal(0.0, 1.0).expand([4]).to_event(1))
        numpyro.sample("y", dist.Normal(read(effect, label), 1.0), obs=y)

    return model


def known_only(effect, label):
    return jnp.where((label >= 0) & (label < 4), effect[label], 0.0)


def zero_outside(effect, label):
    return effect.at[label].get(mode="fill", fill_value=0.0)


def one_by_one(effect, label):
    return jax.lax.map(lambda one: effect[one], jnp.asarray(label))


FROM_1, MISSING = np.arange(30) % 4 + 1, np.arange(30) % 5 - 1


@pytest.mark.parametrize("kind", [np.asarray, jnp.asarray])
@pytest.mark.parametrize(
    ("read", "labels", "wanted"),
    [
        (lambda effect, label: effect[label], FROM_1, (["index-outside"], [])),
        (lambda effect, label: effect[label], MISSING, (["index-negative"], [])),
        (one_by_one, FROM_1, (["index-outside"], [])),
        (one_by_one, MISSING, (["index-negative"], [])),
        (one_by_one, FROM_1 - 1, ([], [])),
        (lambda effect, label: effect[label], FROM_1 - 1, ([], [])),
        (lambda effect, label: effect[jnp.abs(label) - 2], FROM_1, ([], ["index-negative"])),
        (known_only, FROM_1, ([], ["index-outside"])),
        (known_only, MISSING, ([], [])),
        (zero_outside, FROM_1, ([], [])),
    ],
)
def test_what_is_read_outside_is_found_where_the_density_depends_on_it(read, labels, wanted, kind):
    assert ids(examine(effects(read), kind(labels), X, checks=["index"])) == wanted


# --- what is observed, and how often -------------------------------------------------------------


def of_rows(rows, law=lambda mean: dist.Normal(mean, 1.0)):
    """A mean for each row, in a plate of the rows."""

    def model(x, y=None):
        b = numpyro.sample("b", dist.Normal(0.0, 1.0))
        with numpyro.plate("row", rows):
            numpyro.sample("y", law(b * x), obs=y)

    return model


def looked_up(data):
    b = numpyro.sample("b", dist.Normal(0.0, 1.0))
    numpyro.sample("y", dist.Normal(b * data["x"], 1.0), obs=data.get("yy"))


def prior_only(scale):
    numpyro.sample("b", dist.Normal(0.0, scale))


def chosen(index_of, size=30):
    """Ten of the rows; `index_of` says which of the data they are."""

    def model(y):
        b = numpyro.sample("b", dist.Normal(0.0, 1.0))
        with numpyro.plate("row", size, subsample_size=10) as index:
            numpyro.sample("y", dist.Normal(b, 1.0), obs=y[index_of(index)])

    return model


def penalized(inside, of_data=True):
    """A log density by hand, as a sum, inside the plate of its rows or beside it."""

    def model(y):
        b = numpyro.sample("b", dist.Normal(0.0, 1.0))
        total = jnp.sum(dist.Normal(b, 1.0).log_prob(y)) if of_data else -jnp.abs(b)
        with numpyro.plate("row", len(y)):
            if inside:
                numpyro.factor("total", total)
        if not inside:
            numpyro.factor("total", total)

    return model


def quantiles(y):
    level = numpyro.sample("level", dist.Normal(0.0, 1.0).expand([3]).to_event(1))
    numpyro.sample("y", dist.Normal(level, 1.0), obs=y[:, None])


def in_two_plates(y):
    with numpyro.plate("judge", 30, dim=-2):
        severity = numpyro.sample("severity", dist.Normal(0.0, 1.0))
        with numpyro.plate("dish", 30, dim=-1):
            numpyro.sample("y", dist.Normal(severity, 1.0), obs=y)


@pytest.mark.parametrize(
    ("model", "data", "wanted"),
    [
        (in_two_plates, (X,), ([], ["broadcast"])),
        (in_two_plates, (X[:, None],), ([], [])),
        (of_rows(30), (X, X[:, None]), (["broadcast"], [])),
        (of_rows(30), (X[:, None], X), (["broadcast"], [])),
        (of_rows(30), (X, X), ([], [])),
        (of_rows(30, lambda mean: dist.Normal(mean, 1.0).to_event(1)), (X, X), (["broadcast"], [])),
        (quantiles, (X,), ([], ["broadcast"])),
        (of_rows(30), (X,), (["nothing-observed"], [])),
        (looked_up, ({"x": X, "y": X + 1},), (["nothing-observed"], [])),
        (prior_only, (2.0,), ([], ["nothing-observed"])),
        (prior_only, (X**2 + 1.0,), ([], ["nothing-observed"])),
        (chosen(lambda index: index), (X,), ([], [])),
        (chosen(lambda index: slice(0, 10)), (X,), (["subsample-ignored"], [])),
        (chosen(lambda index: slice(0, 10), size=3000), (X,), ([], [])),
        (penalized(True), (X,), (["factor-repeated"], [])),
        (penalized(False), (X,), ([], [])),
        (penalized(True, of_data=False), (X,), ([], [])),
    ],
)
def test_each_observation_is_there_and_counts_once(model, data, wanted):
    assert ids(examine(model, *data, checks=["likelihood"])) == wanted


@pytest.mark.parametrize("used", [True, False])
def test_a_guide_that_was_used_predicts_without_observations(used):
    guide = AutoNormal(of_rows(30))
    if used:
        handlers.seed(guide, 0)(X, X)
    found, hints = ids(examine(of_rows(30), X, guide=guide, checks=["likelihood"]))
    assert (hints if used else found) == ["nothing-observed"] and not (found if used else hints)


# --- rows, permuted, left out and doubled --------------------------------------------------------

LABELS = np.arange(30) % 3
TABLE = np.random.default_rng(1).normal(size=(30, 3)).astype("float32")


def by_hand(sums, center=lambda x: x):
    """A line whose log density is summed by hand, of what `sums` makes of it."""

    def model(x, y):
        a, b = (numpyro.sample(name, dist.Normal(0.0, 1.0)) for name in "ab")
        numpyro.factor("y", sums(dist.Normal(a + b * center(x), 1.0), y))

    return model


def every_pair(law, y):
    return law.log_prob(y[:, None]).sum()


def each_with_all(law, y):
    return law.log_prob(y[:, None]).sum(0)


def its_own(law, y):
    return law.log_prob(y).sum()


def held_outside():
    by_hand(every_pair)(X, OUTCOME)


OUTCOME = 2.0 * X + 1.0


def two_samples(x, y):
    a, b = (numpyro.sample(name, dist.Normal(0.0, 1.0)) for name in "ab")
    numpyro.factor("y", sum(dist.Normal(*row).log_prob(rows).sum() for row, rows in
                            (((a, 1.0), x), ((b, 1.0), y))))  # fmt: skip


def mixture_of_points(law, y):
    return jax.nn.logsumexp(law.log_prob(y[:, None]), axis=1).sum()


def partial_likelihood(law, y):
    earlier = jnp.where(y[None] >= y[:, None], law.loc[None], -jnp.inf)
    return jnp.sum(law.loc - jax.nn.logsumexp(earlier, axis=1))


def classes(axis, center=lambda x: x):
    def model(x, label):
        weight = numpyro.sample("weight", dist.Normal(0.0, 1.0).expand([3, 3]).to_event(2))
        chance = jax.nn.softmax(center(x) @ weight, axis)
        chance = chance / chance.sum(-1, keepdims=True)
        with numpyro.plate("row", len(label)):
            numpyro.sample("label", dist.Categorical(chance), obs=label)

    return model


def standardized(x):
    return (x - jnp.mean(x, 0)) / jnp.std(x, 0)


def by_predecessor(y):
    b = numpyro.sample("b", dist.Normal(0.0, 1.0))
    numpyro.sample("y", dist.Normal(b * y[:-1], 1.0), obs=y[1:])


def by_last_error(x, y):
    """A moving average: a row depends on the error of the row before it."""
    a, b = (numpyro.sample(name, dist.Normal(0.0, 1.0)) for name in "ab")
    errors = y - a * x
    before = jnp.concatenate([jnp.zeros(1), errors[:-1]])
    with numpyro.plate("row", len(x)):
        numpyro.sample("y", dist.Normal(a * x + b * before, 1.0), obs=y)


def smooth(x, y):
    """A Gaussian process whose values are latents, in a plate of the rows."""
    kernel = jnp.exp(-((x[:, None] - x) ** 2)) + 0.1 * jnp.eye(len(x))
    z = numpyro.sample("z", dist.Normal(0.0, 1.0).expand([len(x)]).to_event(1))
    with numpyro.plate("row", len(x)):
        numpyro.sample("y", dist.Normal(jnp.linalg.cholesky(kernel) @ z, 1.0), obs=y)


@pytest.mark.parametrize("kind", [np.asarray, jnp.asarray])
@pytest.mark.parametrize(
    ("model", "data", "wanted"),
    [
        (by_hand(every_pair), (X, OUTCOME), (["broadcast"], [])),
        (by_hand(each_with_all), (X, OUTCOME), (["broadcast"], [])),
        (held_outside, (), (["broadcast"], [])),
        (by_hand(its_own), (X, OUTCOME), ([], [])),
        (by_hand(its_own, standardized), (X, OUTCOME), ([], [])),
        (two_samples, (X, OUTCOME), ([], [])),
        (by_hand(mixture_of_points), (X, OUTCOME), ([], [])),
        (by_hand(partial_likelihood), (X, OUTCOME), ([], [])),
        (by_hand(lambda law, y: law.log_prob(y).mean()), (X, OUTCOME), ([], ["mean-of-rows"])),
        (classes(0), (TABLE, LABELS), ([], ["other-rows"])),
        (classes(-1), (TABLE, LABELS), ([], [])),
        (classes(-1, standardized), (TABLE, LABELS), ([], [])),
        (by_predecessor, (OUTCOME,), ([], [])),
        (by_last_error, (X, OUTCOME), ([], [])),
        (smooth, (X, OUTCOME), ([], [])),
    ],
)  # fmt: skip
def test_rows_are_permuted_left_out_and_doubled(model, data, wanted, kind):
    report = examine(model, *map(kind, data), checks=["likelihood"])
    assert (ids(report), report.ran) == (wanted, ["likelihood"])


class Table:
    """Like one of pandas: rows by position under `iloc`, columns made when they are read."""

    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    @property
    def iloc(self):
        return self

    def __getitem__(self, index):
        return Table([self.rows[at] for at in index])

    def column(self, at):
        return np.float32([row[at] for row in self.rows])


def test_rows_of_a_table_are_taken_too():
    mean = by_hand(lambda law, y: law.log_prob(y).mean())
    report = examine(
        lambda table: mean(table.column(0), table.column(1)),
        Table([*zip(X, OUTCOME, strict=True)]), checks=["likelihood"],
    )  # fmt: skip
    assert ids(report) == ([], ["mean-of-rows"])


# --- noise that is not JAX's, samplers that ask for no gradient ----------------------------------

begin = np.random.default_rng


class Noisy:
    def errors(self, x):
        return np.random.RandomState(3).normal(size=x.shape)

    def __call__(self, x, y):
        line(lambda b: b)(x + self.errors(x), y)


def noisy(errors):
    return lambda x, y: line(lambda b: b)(x + errors(x), y)


def of_global(x):
    np.random.seed(0)
    return np.random.normal(size=x.shape)


def never_used(x):
    np.random.seed(0)
    return 0.0 * x


@pytest.mark.parametrize(
    ("model", "wanted"),
    [
        (Noisy(), ["fixed-draw"]),
        (noisy(of_global), ["fixed-draw"]),
        (noisy(lambda x: np.random.default_rng(seed=1).normal(size=x.shape)), ["fixed-draw"]),
        (noisy(lambda x: begin(1).normal(size=x.shape)), ["fixed-draw"]),
        (noisy(lambda x: [random.Random(1).random()] * np.ones(30)), ["fixed-draw"]),
        (noisy(never_used), []),
        (noisy(lambda x: 0.0 * x), []),
    ],
)
def test_a_seed_of_numpy_that_the_model_sets_is_a_hint(model, wanted):
    makers = np.random.default_rng, np.random.RandomState, np.random.seed, random.Random
    assert ids(examine(model, X, OUTCOME, checks=["keys"])) == ([], wanted)
    assert makers == (
        np.random.default_rng, np.random.RandomState, np.random.seed, random.Random
    )  # fmt: skip


def no_slope(y):
    x = numpyro.sample("x", dist.Normal(0.0, 1.0))
    numpyro.factor("y", jnp.sum(-jnp.sqrt(jnp.maximum(jnp.abs(y - x) - 1e3, 0.0)) - (y - x) ** 2))


@pytest.mark.parametrize(("sampler", "wanted"), [(SA, []), (NUTS, ["nan-gradient"])])
def test_no_gradient_is_asked_for_where_the_sampler_asks_for_none(sampler, wanted):
    mcmc = MCMC(sampler(no_slope), num_warmup=1, num_samples=1, progress_bar=False)
    if sampler is SA:
        mcmc.run(jax.random.PRNGKey(0), X)
    report = examine(mcmc, X, checks=["round_trip", "slope"])
    assert ids(report)[0] == wanted, report
    assert any("SA, asks for no gradient" in quiet.why for quiet in report.nothing) == (not wanted)


# --- no number, and no probability ---------------------------------------------------------------


def scaled(prior):
    def model(y):
        spread = numpyro.sample("spread", prior)
        numpyro.factor("y", jnp.sum(-0.5 * (y / spread) ** 2 - jnp.log(spread)))

    return model


def moved(base, *transforms):
    def model(y):
        x = numpyro.sample("x", dist.TransformedDistribution(base, [*transforms]))
        numpyro.sample("y", dist.Normal(x, 1.0), obs=y)

    return model


POSITIVE = AffineTransform(-1.0, 2.0, domain=constraints.positive)


@pytest.mark.parametrize(
    ("model", "wanted"),
    [
        (scaled(dist.Normal(0.0, 1.0)), ["nan-density"]),
        (scaled(dist.HalfNormal(1.0)), []),
        (moved(dist.HalfNormal(1.0), AffineTransform(-1.0, 2.0)), ["support-too-wide"]),
        (moved(dist.HalfNormal(1.0), POSITIVE), []),
        (moved(dist.Normal(0.0, 1.0), AffineTransform(-1.0, 2.0), ExpTransform()), []),
    ],
)
def test_a_density_is_a_number_and_a_support_has_probability(model, wanted):
    assert ids(examine(model, 1.0, checks=["support"])) == (wanted, [])


def big(y):
    rate = numpyro.sample("rate", dist.Normal(12.0, 1.0))
    numpyro.factor("y", jnp.sum(y * rate - jnp.exp(rate)))


@pytest.mark.parametrize(("size", "wanted"), [(200_000, ["float32"]), (200, [])])
def test_a_density_in_steps_of_8_is_found(size, wanted):
    counts = np.full(60, size, "float32")
    assert ids(examine(big, counts, checks=["precision"]))[0] == wanted


def narrow(y):
    """A model whose first prior draws NumPyro refuses."""
    rate = numpyro.sample("rate", dist.Normal(-5.0, 1.0))
    numpyro.sample("y", dist.Normal(0.0, rate), obs=y)


def test_a_draw_that_is_refused_is_told_and_others_are_taken():
    report = examine(narrow, 1.0)
    assert "support" in report.ran and not report.strict
    assert any(
        skipped.check == "draws" and "invalid scale" in skipped.why for skipped in report.not_run
    )


# --- state, in every form ------------------------------------------------------------------------


def body(y, mean):
    numpyro.sample("y", dist.Normal(numpyro.sample("x", dist.Normal(0.0, 1.0)) + mean, 1.0), obs=y)


class OfClass:
    mean = None

    def __call__(self, y):
        if type(self).mean is None:
            type(self).mean = y.mean()
        body(y, type(self).mean)

    @classmethod
    def by_class(cls, y):
        if cls.mean is None:
            cls.mean = y.mean()
        body(y, cls.mean)


class Slotted:
    __slots__ = ("mean",)

    def __call__(self, y):
        if not hasattr(self, "mean"):
            self.mean = y.mean()
        body(y, self.mean)


@dataclasses.dataclass(slots=True)
class Data:
    mean: object = None

    def __call__(self, y):
        if self.mean is None:
            self.mean = y.mean()
        body(y, self.mean)


settings = types.ModuleType("settings_of_a_reader")
settings.mean = None
settings.__file__ = __file__
variable = contextvars.ContextVar("variable", default=None)


def of_module(y):
    if settings.mean is None:
        settings.mean = y.mean()
    body(y, settings.mean)


def of_context(y):
    if variable.get() is None:
        variable.set(y.mean())
    body(y, variable.get())


def seen():
    """Return what is kept now, wherever it may be."""
    return OfClass.mean, settings.mean, variable.get()


@pytest.mark.parametrize(
    "make", [OfClass, lambda: OfClass.by_class, Slotted, Data, lambda: of_module,
             lambda: of_context],
)  # fmt: skip
def test_what_is_kept_is_found_in_every_form_and_put_back(make, monkeypatch):
    monkeypatch.setitem(sys.modules, settings.__name__, settings)
    model = make()
    report = examine(model, X + 5.0, checks=["state"])
    assert ids(report)[0] == ["data-kept"], report
    assert seen() == (None, None, None) and getattr(model, "mean", None) is None


def test_a_class_that_counts_its_calls_is_left_alone():
    class Counted:
        calls = 0

        def __call__(self, y):
            Counted.calls += 1
            body(y, 0.0)

    assert examine(Counted(), X).ok
    assert Counted.calls == 0


class Scaled:
    weights = None

    def __call__(self, y):
        scale = numpyro.sample("scale", dist.HalfNormal(1.0))
        if Scaled.weights is None and not isinstance(scale, jax.core.Tracer):
            Scaled.weights = jnp.exp(-scale)
        weights = jnp.exp(-scale) if Scaled.weights is None else Scaled.weights
        numpyro.sample("y", dist.Normal(0.0, weights), obs=y)


def test_what_is_kept_of_the_first_values_is_found():
    report = examine(Scaled(), X, checks=["state"])
    assert "data-kept" in ids(report)[0] and "on other values" in str(report)


def test_an_iterator_is_named_as_what_cannot_be_seen():
    rows = iter([X] * 1000)

    def model():
        body(next(rows), 0.0)

    report = examine(model, checks=["shapes"])
    assert any("rows is an iterator" in skipped.why for skipped in report.not_run), report
    assert not report.strict


def test_the_timer_of_the_caller_goes_on():
    before = signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 30.0)
    try:
        with running.limited(5.0):
            pass
        assert 0.0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 30.0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


# --- the report ----------------------------------------------------------------------------------

HINTED = Report("tank", ran=["keys"], hints=[Finding("keys", "fixed-draw", "odd")])
HALF = Report("tank", ran=["keys", "scan"], not_run=[NotRun("jit", "late")])
MOST = Report("tank", ran=["keys"], not_run=[NotRun("jit", "late"), NotRun("scan", "late")])


@pytest.mark.parametrize(
    ("report", "options", "status"),
    [
        (HINTED, {}, 0), (HINTED, {"fail_on": "hints"}, 1), (HALF, {}, 0),
        (HALF, {"strict": True}, 3), (MOST, {}, 3),
    ],
)  # fmt: skip
def test_a_status_is_never_0_where_most_checks_are_silent(report, options, status):
    assert report.status(**options) == status


def test_each_finding_has_its_text_without_the_book(monkeypatch):
    monkeypatch.setattr(known, "book", lambda: None)
    for check, names in IDS.items():
        for name in names:
            assert "  why " in str(Report("m", findings=[Finding(check, name, "odd")])), name
    column = Finding("likelihood", "broadcast", "odd", cases=("column-against-row",))
    assert "y[:, 0]" in dict(column.lines())["cure"]


def test_the_texts_are_those_of_the_book():
    if known.book() is None:
        pytest.skip("the book is not installed here")
    import texts

    assert known.texts() == texts.texts(), "run python examine/texts.py"


READER = """
import numpyro, numpyro.distributions as dist
def scaled(y):
    raise RuntimeError("no such pump")
def model(y):
    x = numpyro.sample("x", dist.Normal(0.0, 1.0))
    scaled(y)
"""


def test_a_model_that_raises_is_told_with_its_lines(tmp_path, monkeypatch, capsys):
    (tmp_path / "pump_of_a_reader.py").write_text(READER)
    monkeypatch.chdir(tmp_path)
    assert shell.main(["pump_of_a_reader.py:model", "1.0"]) == 3
    said = capsys.readouterr().out
    assert "no such pump (pump_of_a_reader.py:4)" in " ".join(said.split())
    assert "line 7, in model" in said and 'raise RuntimeError("no such pump")' in said
    assert shell.main(["pump_of_a_reader.py:modell", "1.0"]) == 2
    assert "did you mean 'model'" in capsys.readouterr().err
    assert shell.main(["pump_of_a_reader.py:model", "1.0", "--checks", "keyz"]) == 2
    assert "did you mean 'keys'" in capsys.readouterr().err


def test_a_table_gets_its_cure():
    frames = types.ModuleType("pandas")
    series = type("Series", (), {"__module__": "pandas.core.series"})
    report = examine(of_rows(30), X, series())
    assert frames and any("`.to_numpy()`" in skipped.why for skipped in report.not_run), report


def test_a_terminal_is_told_what_runs(monkeypatch):
    import io
    import time

    from examine_model import driver

    screen = io.StringIO()
    screen.isatty = lambda: True
    monkeypatch.setattr(driver, "PATIENCE", 0.01)
    monkeypatch.setattr(sys, "stderr", screen)
    with driver.telling(types.SimpleNamespace(check="precision")):
        while "precision" not in screen.getvalue():
            time.sleep(0.01)
    assert screen.getvalue().endswith("\x1b[K")


def test_a_report_for_a_gate_is_strict(tmp_path, monkeypatch, capsys):
    (tmp_path / "gate_of_a_reader.py").write_text(
        "import numpyro, numpyro.distributions as dist\nrows = iter([1.0] * 9999)\n"
        "def model(y):\n    rows\n    x = numpyro.sample('x', dist.Normal(0.0, 1.0))\n"
        "    numpyro.sample('y', dist.Normal(x, 1.0), obs=y)\n"
    )
    monkeypatch.chdir(tmp_path)
    words = ["gate_of_a_reader.py:model", "1.0", "--checks", "shapes,keys"]
    statuses = [shell.main([*words, *more.split()]) for more in ("", "--ci", "--format sarif")]
    assert statuses == [0, 3, 3]
    capsys.readouterr()


# --- guides by hand ------------------------------------------------------------------------------


def fitted_by(spread, also=True, **constraint):
    """A guide of a line, which draws its spread from some law and may leave out its slope."""

    def guide(x, y):
        scale = numpyro.param("scale", 0.1, **constraint)
        numpyro.sample("a", dist.Normal(numpyro.param("mean", 0.0), scale))
        if also:
            numpyro.sample("b", dist.Normal(0.0, scale))
        numpyro.sample("spread", spread)

    return guide


@pytest.mark.parametrize(
    ("guide", "wanted"),
    [
        (fitted_by(dist.LogNormal(0.0, 0.1), constraint=constraints.positive), []),
        (fitted_by(dist.LogNormal(0.0, 0.1)), ["guide-unconstrained"]),
        (
            fitted_by(dist.LogNormal(0.0, 0.1), also=False, constraint=constraints.positive),
            ["guide-forgets"],
        ),
        (fitted_by(dist.Normal(1.0, 0.1), constraint=constraints.positive), ["guide-support"]),
    ],
)
def test_a_guide_by_hand_has_each_latent_and_its_support(guide, wanted):
    report = examine(line(lambda b: b), X, 2 * X, guide=guide, checks=["guide"])
    assert ids(report)[0] == wanted, report
