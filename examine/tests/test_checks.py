"""`examine`: what it finds in broken models, its silence on whole ones, what it leaves behind."""

import functools
import sys
import textwrap
from collections import deque

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
import pytest
from examine_model import driver, examine, running, shell
from examine_model.held import Held
from examine_model.report import NAMES, Finding, NotRun, Report
from numpyro import handlers, primitives
from numpyro.contrib.control_flow import scan
from numpyro.contrib.module import eqx_module, random_eqx_module
from numpyro.distributions.util import lazy_property
from numpyro.infer import MCMC, SVI, BarkerMH, Trace_ELBO
from numpyro.infer.autoguide import AutoDelta, AutoNormal
from numpyro.optim import Adam
from trials import detection

# One or more of each check, and quick.
LIVE = [
    "vmap-built-distribution", "seeded-call-repeats", "one-key-for-all-lanes", "leaf-order",
    "parameter-stored-twice", "copy-forgets-validation", "callable-global-changed",
    "hash-omits-field", "noise-layer", "kept-in-model", "scope-around-scan", "exchanged-axes",
    "guide-keeps-arguments",
]  # fmt: skip
X = jnp.linspace(0.0, 1.0, 6)


def regression(x, y=None):
    slope = numpyro.sample("slope", dist.Normal(0.0, 1.0))
    spread = numpyro.sample("spread", dist.HalfNormal(1.0))
    with numpyro.plate("row", len(x)):
        numpyro.sample("y", dist.Normal(slope * x, spread), obs=y)


# --- found, and not found --------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("case", LIVE)
def test_a_broken_model_is_found_and_its_cured_twin_is_not(case):
    result = detection.measure(case)
    assert result["found"], f"{case}: {result['reports'][0]}"
    assert not result["alarms"], f"{case}: {result['reports'][1]}"


def with_mask():
    x = numpyro.sample("x", dist.Normal(0.0, 1.0))
    with numpyro.plate("row", 3), handlers.mask(mask=jnp.array([True, False, True])):
        numpyro.sample("y", dist.Normal(x, 1.0), obs=jnp.array([1.0, jnp.nan, 2.0]))
    numpyro.factor("penalty", -(x**2))


def with_subsample():
    x = numpyro.sample("x", dist.Normal(0.0, 1.0))
    data = jnp.arange(8.0)
    with numpyro.plate("row", 8, subsample_size=3) as index:
        numpyro.sample("y", dist.Normal(x, 1.0), obs=data[index])


def with_discrete():
    kind = numpyro.sample("kind", dist.Categorical(jnp.array([0.3, 0.7])),
                          infer={"enumerate": "parallel"})  # fmt: skip
    numpyro.sample("y", dist.Normal(jnp.array([0.0, 3.0])[kind], 1.0), obs=1.0)


def with_noise():
    x = numpyro.sample("x", dist.Normal(0.0, 1.0))
    noise = jax.random.normal(numpyro.prng_key(), ())
    numpyro.sample("y", dist.Normal(x + noise, 1.0), obs=1.0)


def with_params():
    scale = numpyro.param("scale", lambda key: jnp.exp(jax.random.normal(key)),
                          constraint=dist.constraints.positive)  # fmt: skip
    numpyro.sample("x", dist.Normal(0.0, scale))


def with_improper_prior():
    support = dist.constraints.positive
    x = numpyro.sample("x", dist.ImproperUniform(support, (2,), ()))
    numpyro.sample("y", dist.Normal(x, 1.0), obs=jnp.ones(2))


def with_a_loop_that_has_no_gradient():
    x = numpyro.sample("x", dist.Normal(1.0, 0.1))
    doubled = jax.lax.while_loop(lambda y: y < 10.0, lambda y: 2.0 * y, x)
    numpyro.sample("y", dist.Normal(doubled, 1.0), obs=12.0)


def with_scan():
    def step(level, value):
        level = numpyro.sample("level", dist.Normal(level, 1.0))
        numpyro.sample("value", dist.Gamma(2.0, jnp.exp(level)), obs=value)
        return level, level

    return scan(step, 0.0, jnp.array([1.0, 2.0, 0.5]))[1]


def with_scale_and_a_factor():
    x = numpyro.sample("x", dist.Normal(0.0, 1.0))
    with handlers.scale(scale=10.0):
        numpyro.sample("y", dist.Normal(x, 1.0), obs=1.0)
    numpyro.factor("penalty", -(x**2))


NET, STATE = eqx.nn.make_with_state(eqx.nn.BatchNorm)(1, "batch", mode="batch")


def with_equinox():
    layer = eqx_module("layer", eqx.nn.Linear(6, 1, key=jax.random.PRNGKey(0)))
    numpyro.sample("y", dist.Normal(layer(X), 1.0).to_event(1), obs=jnp.ones(1))


def with_random_equinox():
    linear = eqx.nn.Linear(6, 1, key=jax.random.PRNGKey(0))
    layer = random_eqx_module("layer", linear, prior=lambda _, shape: dist.Normal().expand(shape))
    numpyro.sample("y", dist.Normal(layer(X), 1.0).to_event(1), obs=jnp.ones(1))


def with_equinox_state():
    layer = eqx_module("layer", NET)
    holder = primitives.mutable("state", {"batch": STATE})
    mapped = jax.vmap(layer, in_axes=(0, None), out_axes=(0, None), axis_name="batch")
    mean, holder["batch"] = mapped(X[:, None], holder["batch"])
    numpyro.sample("y", dist.Normal(mean, 1.0).to_event(2), obs=jnp.ones((6, 1)))


class EquinoxModel(eqx.Module):
    """A model that is an Equinox module."""

    spread: jax.Array
    layer: eqx.nn.Linear

    def __call__(self):
        spread = numpyro.sample("spread", dist.HalfNormal(self.spread))
        numpyro.sample("y", dist.Normal(self.layer(X), spread).to_event(1), obs=jnp.ones(1))


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


@pytest.mark.slow
@pytest.mark.parametrize(
    "model",
    [
        with_mask,
        with_scale_and_a_factor,
        with_equinox,
        with_random_equinox,
        with_equinox_state,
        EquinoxModel(jnp.array(2.0), eqx.nn.Linear(6, 1, key=jax.random.PRNGKey(0))),
        with_mutable_params,
        with_enumeration_in_scan,
        with_subsample,
        with_discrete,
        with_noise,
        with_params,
        with_improper_prior,
        with_a_loop_that_has_no_gradient,
        with_scan,
    ],
)
def test_a_whole_model_of_each_kind_is_not_alarmed(model):
    report = examine(model)
    assert report.ok, report
    assert not report.hints, report
    asked = {"round_trip", "jit", "keys", "shapes", "state", "scan"}
    assert asked <= {*report.ran, *(row.check for row in report.nothing)}, report


@pytest.mark.slow
def test_a_whole_model_with_its_guide_is_not_alarmed():
    report = examine(regression, X, y=X, guide=AutoNormal(regression))
    assert report.ok, report
    assert "guide" in report.ran


def nested(noise):
    """Three weeks of five days, with five stations each."""

    def week(level, _):
        def day(level, values):
            with numpyro.plate("station", 5):
                numpyro.sample("y", noise(level), obs=values)
            return level + 1.0, None

        return scan(day, level, jnp.exp(jnp.arange(25.0).reshape(5, 5) / 9))

    scan(week, 0.0, None, length=3)


def noise_of(level):
    return dist.TransformedDistribution(dist.Normal(level, 0.5), dist.transforms.ExpTransform())


@pytest.mark.slow
def test_a_loop_inside_a_loop_is_compared_with_its_own_steps():
    report = examine(nested, noise_of)
    assert [(found.check, found.site) for found in report.findings] == [("scan", "y")], report
    cured = examine(nested, lambda level: noise_of(level * jnp.ones(5)))
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
    assert {row.check for row in report.not_run} == {"keys", "round_trip", "jit"}
    assert all("nested scan" in row.why for row in report.not_run)


@pytest.mark.slow
def test_a_broken_model_is_found_among_masked_scaled_subsampled_and_enumerated_sites():
    def model(noise):
        x = numpyro.sample("x", dist.Normal(0.0, 1.0))
        kind = numpyro.sample("kind", dist.Bernoulli(0.5), infer={"enumerate": "parallel"})
        with numpyro.plate("row", 8, subsample_size=3) as index, handlers.mask(mask=index > 1):
            y = numpyro.sample("y", dist.Normal(x + kind, 1.0))
        numpyro.factor("penalty", noise(jnp.sum(y)))

    for noise, ok in ((lambda y: -y, True), (lambda y: -y * np.random.uniform(1.0, 2.0), False)):
        report = examine(model, noise)
        assert report.ok is ok, report
    assert report.findings[0].site == "penalty"


def test_a_model_that_raises_is_told_and_is_not_ok():
    def model():
        numpyro.sample("x", dist.Normal(jnp.zeros(2), jnp.ones(3)))

    report = examine(model)
    assert not report.ok
    assert not report.ran
    assert "no check could answer" in str(report)
    assert "Incompatible shapes" in " ".join(str(report).split())


@pytest.mark.slow
def test_a_stacked_site_that_raises_is_a_finding_where_its_steps_do_not():
    def step(carry, mean):
        fn = dist.SineSkewed(dist.SineBivariateVonMises(mean, 0.0, 1.0, 1.0, 0.5), jnp.zeros(2))
        numpyro.sample("x", fn)
        return carry, None

    report = examine(lambda: scan(step, None, jnp.zeros(3)) and None)
    assert "raises-in-scan" in {case for found in report.findings for case in found.cases}, report


def between(f):
    """Return a model of a level whose observation depends on a function of it."""

    def model():
        level = numpyro.sample("level", dist.Normal(0.0, 1.0))
        numpyro.sample("shown", dist.Normal(f(level), 1.0), obs=1.0)

    return model


def gauge(cached):
    class Gauge:
        levels = jnp.array([0.5, 1.0, 2.0])

        @(functools.cached_property if cached else property)
        def gain(self):
            return jnp.vdot(self.levels, self.levels)

    kept = Gauge()
    return between(lambda level: kept.gain * level)


def log_mass(cached):
    def function(low, high):
        return jnp.log(jax.scipy.special.ndtr(high) - jax.scipy.special.ndtr(low))

    kept = functools.lru_cache(function) if cached else function
    return between(lambda level: level - kept(0.0, 2.0))


def waiting(cached):
    class Waiting(dist.Normal):
        @(lazy_property if cached else property)
        def tails(self):
            return jnp.exp(-self.loc), jnp.exp(-self.scale)

        def log_prob(self, value):
            return super().log_prob(value) + self.tails[0] - self.tails[1]

    kept = Waiting(1.0, 3.0)
    return lambda: numpyro.sample("minutes", kept)


@pytest.mark.parametrize(
    ("make", "case"),
    [(gauge, "cached-property"), (waiting, "lazy-tuple"), (log_mass, "lru-cache")],
)
def test_a_tracer_that_stays_behind_is_found_by_the_page_that_says_so(make, case):
    broken, cured = examine(make(True)), examine(make(False))
    assert [found.check for found in broken.findings if case in found.cases] == ["state"], broken
    assert cured.ok, cured


def test_a_cache_that_was_empty_is_emptied_and_a_full_one_is_left():
    empty, full = functools.lru_cache(jnp.sin), functools.lru_cache(jnp.cos)
    full(0.5)
    examine(between(lambda level: level + empty(0.5) + full(0.5)))
    assert (empty.cache_info().currsize, full.cache_info().currsize) == (0, 1)


@pytest.mark.skipif(
    not jnp.isfinite(jax.jit(lambda a: jnp.log(jnp.exp(a)))(-200.0)),
    reason="this XLA does not simplify log(exp(x)), as that of JAX 0.10.2 does",
)
def test_a_number_that_xla_keeps_from_vanishing_is_a_hint():
    def model(factor):
        rate = jnp.exp(numpyro.sample("a", dist.Normal(-200.0, 1.0)))
        numpyro.sample("admitted", dist.Poisson(rate), obs=3)
        numpyro.factor("more", factor())

    report = examine(model, lambda: 0.0)
    assert report.ok, report
    (hint,) = report.hints
    assert hint.site == "admitted" and "-inf" in hint.says
    changing = iter([0.0, *[-np.inf] * 99])
    assert not examine(model, lambda: next(changing)).ok


@pytest.mark.slow
def test_a_guide_that_keeps_a_traced_start_is_found_once_by_the_page_that_says_so():
    guide = AutoDelta(regression)
    svi = SVI(regression, guide, Adam(0.1), Trace_ELBO())
    jax.jit(jax.vmap(svi.init, in_axes=(0, None)))(jax.random.split(jax.random.key(0), 2), X)
    report = examine(regression, X, guide=guide)
    assert [found.cases for found in report.findings] == [("guide-keeps-traced-start",)], report
    assert examine(regression, X, guide=AutoDelta(regression)).ok


# --- nothing is left behind ------------------------------------------------------------------


class Counting:
    """A model that changes whatever it can."""

    def __init__(self):
        self.calls, self.seen = 0, []

    def __call__(self):
        self.calls += 1
        self.seen.append(self.calls)
        self.late = True
        numpyro.sample("x", dist.Normal(0.0, 1.0))


def test_a_model_is_left_as_it_was():
    model = Counting()
    examine(model)
    assert vars(model) == {"calls": 0, "seen": []}


def test_handlers_settings_and_keys_outside_are_left_as_they_were():
    validation = dist.Distribution._validate_args
    with handlers.seed(rng_seed=0) as outside, handlers.trace() as trace:
        seed = primitives._PYRO_STACK[0]
        key = np.asarray(jax.random.key_data(seed.rng_key))
        report = examine(regression, X)
        assert np.array_equal(jax.random.key_data(seed.rng_key), key)
        assert not trace
        assert len(primitives._PYRO_STACK) == 2
    assert report.ok
    assert outside is None
    assert not primitives._PYRO_STACK
    assert dist.Distribution._validate_args == validation
    assert not jax.config.jax_disable_jit


def settings():
    """Return what a program may have set for all of Python, JAX and NumPyro."""
    import random
    import warnings

    return {
        **jax.config.values,
        "validation": dist.Distribution._validate_args,
        "filters": list(warnings.filters),
        "handlers": list(primitives._PYRO_STACK),
        "random": random.getstate(),
        "numpy": str(np.random.get_state()),
        "recursion": sys.getrecursionlimit(),
        "path": list(sys.path),
        "printed": np.get_printoptions(),
    }


@pytest.mark.slow
@pytest.mark.parametrize("changed", [{}, {"jax_debug_nans": True, "jax_enable_x64": True}])
def test_no_global_setting_is_changed_by_any_check(changed):
    before = {name: jax.config.values[name] for name in changed}
    for name, value in changed.items():
        jax.config.update(name, value)
    try:
        found = settings()
        guide = AutoNormal(with_scan)
        handlers.seed(guide, rng_seed=0)()
        mcmc = MCMC(BarkerMH(regression), num_warmup=2, num_samples=2, progress_bar=False)
        mcmc.run(jax.random.PRNGKey(0), X)
        found = settings()
        ran = {
            *examine(with_scan, guide=guide).ran,
            *examine(mcmc, X).ran,
            *examine(lambda fn: numpyro.sample("x", fn), dist.Normal(0.0, 1.0), slow=True).ran,
        }
        assert ran == set(NAMES)
        assert settings() == found
    finally:
        for name, value in before.items():
            jax.config.update(name, value)


def test_a_model_that_raises_leaves_no_handler_and_no_change_behind():
    class Raising(Counting):
        def __call__(self):
            super().__call__()
            raise RuntimeError("The pump is off.")

    model, before = Raising(), settings()
    assert not examine(model).ok
    assert vars(model) == {"calls": 0, "seen": []}
    assert settings() == before


class Slotted:
    """A model without a dictionary of attributes."""

    __slots__ = ("__calls", "late", "queue")

    def __init__(self):
        self.__calls, self.queue = 0, deque([1.0], maxlen=2)

    def __call__(self):
        self.__calls += 1
        self.late = self.__calls
        self.queue.append(self.late)
        numpyro.sample("x", dist.Normal(0.0, 1.0))

    def all(self):
        return self.__calls, list(self.queue), hasattr(self, "late")


def test_slots_and_queues_are_left_as_they_were():
    model = Slotted()
    assert examine(model).ok
    assert model.all() == (0, [1.0], False)


def test_what_is_held_is_noted_and_put_back():
    kept, array = {"a": 1}, np.zeros(2)

    def model():
        nonlocal kept
        kept = {"b": 2}
        array[0] = 5.0

    before = kept
    held = Held(model)
    assert not held.changed()
    model()
    assert held.changed()
    held.restore()
    assert kept is before
    assert not array.any()


def test_a_proxy_that_raises_whatever_it_is_asked_is_passed_over():
    class Proxy:
        def __getattr__(self, name):
            return 1 / 0

    proxy = Proxy()
    assert Held(lambda: proxy).whole


def test_a_tracer_is_found_where_it_is_held():
    thing = {"inner": []}
    jax.make_jaxpr(lambda x: thing["inner"].append(x) or x)(1.0)
    (place,) = Held(lambda: thing).tracers()
    assert place == "model → thing['inner'][0]"


# --- numbers ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "scale", "wanted"),
    [
        (1.0, 1.0005, 0.0, False),
        (1.0, 1.1, 0.0, True),
        (1.0, 1.1, 1000.0, False),
        (np.nan, np.nan, 0.0, False),
        (np.nan, 1.0, 0.0, True),
        (-np.inf, -np.inf, 0.0, False),
        (-np.inf, 3.0, 0.0, True),
    ],
)
def test_numbers_differ_by_more_than_arithmetic(one, other, scale, wanted):
    assert running.differ(one, other, scale) is wanted
    assert running.differ(other, one, scale) is wanted


# --- the interface ---------------------------------------------------------------------------


def test_only_the_checks_that_are_asked_for_run():
    report = examine(regression, X, checks=["shapes", "keys"])
    assert report.ran == ["keys", "shapes"]
    assert set(report.seconds) == {"keys", "shapes"}


def test_wrong_calls_are_told():
    with pytest.raises(ValueError, match=r"unknown check 'shape': known are state, keys"):
        examine(regression, X, checks=["shape"])
    with pytest.raises(TypeError, match="of type int"):
        examine(3)


def test_each_check_is_told_in_the_docstring():
    assert tuple(driver.CHECKS) == NAMES
    told = examine.__doc__
    assert all(f'"{name}"' in told for name in driver.CHECKS)


REPORT = Report(
    "tank",
    ran=["keys", "scan"],
    findings=[Finding("scan", "its log density is 1 <or> 2", "y", ("leaf-order",))],
    hints=[Finding("keys", "odd")],
    not_run=[NotRun("jit", "it <raises>"), NotRun("shapes", "it <raises>")],
)


def test_a_report_says_what_and_where():
    text = str(REPORT)
    assert text.startswith("tank: 1 finding\n\n1. site 'y': its log density is 1 <or> 2 [scan]")
    assert "Hint: odd [keys]" in text
    assert "jit, shapes: it <raises>" in text
    assert repr(REPORT) == text


def test_a_report_as_html_is_escaped():
    page = REPORT._repr_html_()
    assert "1 &lt;or&gt; 2" in page
    assert "it &lt;raises&gt;" in page


def test_ok_needs_a_check_that_ran_and_no_finding():
    assert not REPORT
    assert not Report("tank")
    assert Report("tank", ran=["keys"])
    assert Report("tank", ran=["keys"], hints=[Finding("keys", "odd")]).ok


# --- pytest -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_fixture_is_found_by_pytest_and_fails_with_the_whole_report(pytester):
    pytester.makepyfile(
        """
        import numpyro, numpyro.distributions as dist
        from numpyro import handlers

        def tank():
            numpyro.sample("level", dist.Normal(0.0, 1.0))

        def test_whole(examined):
            assert examined(tank, checks=["keys"]).ran == ["keys"]

        def test_seeded(examined):
            examined(handlers.seed(tank, rng_seed=0), checks=["keys"])
        """
    )
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(passed=1, failed=1)
    lines = ["*tank: 1 finding", "*site 'level': it draws with the same key*"]
    result.stdout.fnmatch_lines(lines)


# --- the shell -------------------------------------------------------------------------------

TANK = """
import numpyro, numpyro.distributions as dist
from numpyro import handlers
readings = [1.0, 2.0]
def tank(readings, scale=1.0):
    level = numpyro.sample("level", dist.Normal(0.0, scale))
    for number, reading in enumerate(readings):
        numpyro.sample(f"reading_{number}", dist.Normal(level, 1.0), obs=reading)
seeded = handlers.seed(tank, rng_seed=0)
"""


@pytest.fixture
def tank(tmp_path, monkeypatch):
    (tmp_path / "tank_of_a_reader.py").write_text(textwrap.dedent(TANK))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    yield "tank_of_a_reader"
    sys.modules.pop("tank_of_a_reader", None)


def test_the_shell_says_what_was_found_by_its_status(tank, capsys):
    words = [f"{tank}:tank", "readings", "scale=2.0", "--checks", "keys,shapes"]
    assert shell.main(words) == 0
    assert "nothing found by keys, shapes" in capsys.readouterr().out
    assert shell.main([f"{tank}.py:seeded", "[1.0]", "--checks", "keys"]) == 1
    assert "1 finding" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["no_such_module:model"], "cannot import 'no_such_module'"),
        (["tank_of_a_reader:modle"], "tank_of_a_reader has no 'modle'"),
        (["tank"], "names no module"),
        (["tank_of_a_reader:tank", "readngs"], "tank_of_a_reader has no 'readngs'"),
        (["tank_of_a_reader:tank", "--checks", "kees"], "unknown check 'kees'"),
        (["tank_of_a_reader:readings"], "of type list"),
    ],
)
def test_what_cannot_be_loaded_is_one_line(tank, words, message, capsys):
    assert shell.main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ") and message in err and err.count("\n") == 1


def test_what_takes_long_is_told_on_standard_error(capsys):
    with shell.Progress(patience=0.0) as begin:
        begin("round_trip")
        import time

        time.sleep(0.3)
    assert capsys.readouterr().err == "round_trip …\n"
