"""`examine` as a tool: what it leaves behind, what it says, and how it is called."""

import importlib
import itertools
import json
import linecache
import random
import subprocess
import sys
import warnings
from concurrent import futures

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
import pytest
from examine_model import comparing, driver, examine, known, shell
from examine_model.held import Held
from examine_model.report import NAMES, Finding, NotRun, Report
from numpyro import handlers, primitives
from numpyro.contrib.control_flow import scan
from numpyro.infer import MCMC, NUTS, BarkerMH
from numpyro.infer.autoguide import AutoNormal

COUNTS = jnp.array([3, 2, 5, 4])
ALONE = [name for name in driver.CHECKS if name not in ("pytree", "guide", "mcmc")]


def level(readings):
    """One level, read several times."""
    mean = numpyro.sample("mean", dist.Normal(4.0, 1.0))
    with numpyro.plate("reading", len(readings)):
        numpyro.sample("y", dist.Normal(mean, 1.0), obs=readings)


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
        report = examine(drift, COUNTS, checks=[check], slow=True)
        answered = [*report.ran, *(quiet.check for quiet in report.nothing)]
        assert (answered, report.findings, report.not_run) == ([check], [], []), report


@pytest.mark.slow
def test_each_check_answers_after_each_other(monkeypatch):
    for pair in itertools.permutations(ALONE, 2):
        chosen = {name: driver.CHECKS[name] for name in pair}
        with monkeypatch.context() as patch:
            patch.setattr(driver, "CHECKS", chosen)
            report = examine(level, COUNTS, slow=True)
        assert not report.findings and not report.not_run, (pair, report)


def test_what_goes_wrong_in_a_check_is_not_blamed_on_the_model(monkeypatch):
    def broken(context):
        raise KeyError("no such row")

    monkeypatch.setitem(driver.CHECKS, "shapes", broken)
    (skipped,) = examine(level, COUNTS, checks=["shapes"]).not_run
    assert skipped.why.startswith("`examine` itself fails with KeyError")


# --- nothing is left behind ------------------------------------------------------------------


def settings():
    """Return what a program may have set for all of Python, JAX and NumPyro."""
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
        guide = AutoNormal(drift)
        handlers.seed(guide, rng_seed=0)(COUNTS)
        mcmc = MCMC(BarkerMH(level), num_warmup=2, num_samples=2, progress_bar=False)
        mcmc.run(jax.random.PRNGKey(0), COUNTS)
        found = settings()
        ran = {
            *examine(drift, COUNTS, guide=guide).ran,
            *examine(mcmc, COUNTS).ran,
            *examine(lambda fn: numpyro.sample("x", fn), dist.Normal(0.0, 1.0), slow=True).ran,
        }
        assert settings() == found
        assert ran == set(NAMES) - ({"precision"} if "jax_enable_x64" in changed else set())
    finally:
        for name, value in before.items():
            jax.config.update(name, value)


@pytest.mark.parametrize("raises", [False, True])
def test_neither_the_model_nor_a_handler_outside_nor_a_setting_is_changed(raises):
    class Counting:
        """A model that changes whatever it can."""

        def __init__(self):
            self.calls, self.seen, self.array = 0, [], np.zeros(2)
            self.own = np.random.default_rng(1), np.random.RandomState(1), random.Random(1)

        def __call__(self):
            self.calls += 1
            self.array += 1.0
            self.seen.append(np.random.normal() + random.random())
            self.seen[-1] += sum(each.uniform(0, 1) for each in self.own)
            self.late = True
            numpyro.sample("x", dist.Normal(self.seen[-1], 1.0))
            if raises:
                raise RuntimeError("The pump is off.")

    model = Counting()
    with handlers.seed(rng_seed=0), handlers.trace() as trace:
        seed = primitives._PYRO_STACK[0]
        key = np.asarray(jax.random.key_data(seed.rng_key))
        before = settings()
        report = examine(model)
        assert settings() == before
        assert np.array_equal(jax.random.key_data(seed.rng_key), key)
        assert not trace
    assert bool(report.ran) is not raises
    new = Counting()
    assert [each.uniform(0, 1) for each in model.own] == [each.uniform(0, 1) for each in new.own]
    assert not model.array.any()
    assert vars(model) == vars(new) | {"own": model.own, "array": model.array}


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


# --- numbers ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "noise", "wanted"),
    [
        (1.0, 1.0001, 0.0, []),
        (1.0, 1.001, 0.0, [0]),
        (1.0, 1.001, 0.001, []),
        ([1e6, 1.0], [1e6 + 10, 1.0], 0.0, []),
        ([1e6, 1.0], [1e6, 1.1], 0.0, [1]),
        ([1.0, 2.0], [1.5, 3.0], 0.0, [1, 0]),
        (np.nan, np.nan, 0.0, []),
        (np.nan, 1.0, 0.0, [0]),
        (-np.inf, -np.inf, 0.0, []),
        (-np.inf, 3.0, 0.0, [0]),
        ([1.0, 1.0], 2.0, 0.0, []),
    ],
)
def test_rows_differ_by_more_than_arithmetic(one, other, noise, wanted):
    one, other = jnp.float32(one), jnp.float32(other)
    for pair in ((one, other), (other, one)):
        found = comparing.apart(*pair, noise=noise)
        assert (found.rows.tolist() if found else []) == wanted


def test_with_64_bits_less_is_arithmetic():
    assert comparing.apart(np.float64(1.0), np.float64(1.00001))
    assert not comparing.apart(np.float64(1.0), np.float64(1.0 + 1e-9))


# --- the interface ---------------------------------------------------------------------------


REPORT = Report(
    "tank",
    ran=["keys", "scan"],
    findings=[Finding("scan", "stacked-density", "its log density is 1 <or> 2", "y")],
    hints=[Finding("keys", "fixed-draw", "odd")],
    not_run=[NotRun("jit", "it <raises>"), NotRun("shapes", "it <raises>")],
)


def test_a_report_says_what_and_where():
    text = str(REPORT)
    assert "tank: 1 finding\n\n1. site 'y': its log density is 1 <or> 2 [scan: stacked-" in text
    assert "   about  https://" in text and "findings.html#stacked-density\n" in text
    assert "Hint: odd [keys: fixed-draw]" in text
    assert "jit, shapes: it <raises>" in text
    assert repr(REPORT) == text
    page = REPORT._repr_html_()
    assert "1 &lt;or&gt; 2" in page and "it &lt;raises&gt;" in page
    assert f'<a href="{known.FINDINGS}#stacked-density">' in page


def test_ok_needs_a_check_that_answered_and_no_finding_and_strict_that_each_did():
    assert not REPORT
    assert not Report("tank")
    assert Report("tank", ran=["keys"])
    assert Report("tank", ran=["keys"], hints=[Finding("keys", "fixed-draw", "odd")]).strict
    late = Report("tank", ran=["keys"], not_run=[NotRun("jit", "it takes long")])
    assert late.ok and not late.strict


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
print("The tank is loaded.")
import numpyro, numpyro.distributions as dist
from numpyro import handlers
readings = [1.0, 2.0]
def tank(readings, scale=1.0):
    level = numpyro.sample("level", dist.Normal(0.0, scale))
    for number, reading in enumerate(readings):
        numpyro.sample(f"reading_{number}", dist.Normal(level, 1.0), obs=reading)
seeded = handlers.seed(tank, rng_seed=0)
def choosing(reading):
    level = numpyro.sample("level", dist.Normal(0.0, 1.0))
    numpyro.sample("reading", dist.Normal(level if level > 0 else 0.0, 1.0), obs=reading)
def meant(reading):
    day = handlers.seed(lambda: numpyro.sample(  # examine: ignore[same-key]
        "level", dist.Normal(0.0, 1.0)), rng_seed=0)
    numpyro.sample("day", dist.Normal(day(), 1.0))
"""


@pytest.fixture
def tank(tmp_path, monkeypatch):
    (tmp_path / "tank_of_a_reader.py").write_text(TANK)
    (tmp_path / "exits.py").write_text("raise SystemExit(0)")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    yield "tank_of_a_reader"
    sys.modules.pop("tank_of_a_reader", None)


SEEDED = "tank_of_a_reader.py:seeded [1.0] --checks keys"
CHOOSING = "tank_of_a_reader:choosing 1.0 --checks keys,jit"


@pytest.mark.parametrize(
    ("line", "status", "said"),
    [
        ("tank_of_a_reader:tank readings scale=2.0 --checks keys,shapes", 0, "by keys, shapes"),
        (SEEDED, 1, "1 finding"),
        (f"{SEEDED} --ignore same-key:level", 0, "Ignored\n  same-key: site 'level'"),
        ("tank_of_a_reader:tank [] --checks scan", 3, "Nothing to compare"),
        (
            "tank_of_a_reader:tank [] --checks keys,scan --strict",
            0,
            "Nothing to compare: scan",
        ),
        (CHOOSING, 0, "Could not\n  jit: under `jit` the model raises TracerBool"),
        (f"{CHOOSING} --strict", 3, "Could not\n  jit"),
        ("tank_of_a_reader:tank [] --checks keys --timeout 1e-9", 3, "the 1e-09 seconds are over"),
    ],
)
def test_the_shell_says_what_was_found_by_its_status(tank, line, status, said, capsys):
    assert shell.main(line.split()) == status
    assert said in capsys.readouterr().out


def test_the_time_is_over_in_any_thread():
    with futures.ThreadPoolExecutor() as pool:
        report = pool.submit(examine, level, COUNTS, timeout=1e-9).result()
    assert {skipped.why for skipped in report.not_run} == {"the 1e-09 seconds are over"}
    assert not report.ran and not report.nothing


def test_a_magic_of_notebooks_takes_the_names_of_the_notebook(tank):
    pytest.importorskip("IPython")
    cells = [f"from {tank} import seeded", "%load_ext examine_model",
             "%examine seeded [1.0] --checks keys"]  # fmt: skip
    command = [sys.executable, "-m", "IPython", "--quick", "--no-banner", "-c", "\n".join(cells)]
    said = subprocess.run(command, capture_output=True, text=True).stdout
    assert "\ntank: 1 finding\n" in said, said


def test_a_report_for_other_programs(tank, capsys):
    assert shell.main(f"{SEEDED} --format json".split()) == 1
    data = json.loads(capsys.readouterr().out)
    (found,) = data["findings"]
    assert (found["id"], found["site"], found["line"]) == ("same-key", "level", 7)
    assert data["ok"] is False
    assert shell.main(f"{SEEDED} --format sarif".split()) == 1
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    (result,) = run["results"]
    (where,) = result["locations"]
    assert where["physicalLocation"]["artifactLocation"]["uri"] == f"{tank}.py"
    assert where["physicalLocation"]["region"] == {"startLine": 7}
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == [result["ruleId"]]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["no_such_module:model"], "cannot import 'no_such_module'"),
        (["tank_of_a_reader:modle"], "tank_of_a_reader has no 'modle'"),
        (["tank"], "names no module"),
        (["tank_of_a_reader:tank", "readngs"], "tank_of_a_reader has no 'readngs'"),
        (
            ["tank_of_a_reader:tank", "--checks", "kees"],
            "unknown check 'kees' (did you mean 'keys'?): known are state, keys",
        ),
        (["tank_of_a_reader:readings"], "of type list"),
        (["tank_of_a_reader:tank", "[]", "--ignore", "same-kee"], "unknown id 'same-kee'"),
        (["exits.py:tank"], "'exits' raises SystemExit when it is imported (0)"),
    ],
)
def test_what_cannot_be_loaded_is_one_line(tank, words, message, capsys):
    assert shell.main(words) == 2
    out, err = capsys.readouterr()
    assert out.removeprefix("The tank is loaded.\n") == ""
    assert err.startswith("error: ") and message in err and err.count("\n") == 1


def test_what_a_comment_in_the_model_says_is_meant_is_no_finding(tank):
    report = examine(importlib.import_module(tank).meant, 1.0, checks=["keys"])
    assert report.ok and [meant.id for meant in report.ignored] == ["same-key"], report


def test_a_comment_at_a_site_in_a_loop_is_read_where_the_site_stands():
    def model(readings):
        level = numpyro.sample("level", dist.Normal(0.0, 1.0))

        def step(carry, reading):
            means = level + carry * jnp.arange(6.0).reshape(3, 2)
            law = dist.MatrixNormal(means, jnp.eye(3), jnp.eye(2))
            numpyro.sample("y", law, obs=reading)  # examine: ignore[stacked-density]
            return carry + 0.1, None

        scan(step, 1.0, readings)

    report = examine(model, jnp.ones((3, 3, 2)), checks=["scan"])
    (meant,) = report.ignored
    assert meant.site == "y" and not report.findings, report
    assert "law, obs=reading" in linecache.getline(meant.file, meant.line), report


def test_nothing_to_compare_is_said_and_is_not_ok():
    for nothing in (np.zeros, lambda shape: None):
        report = examine(nothing, 3)
        assert not report.ok and not report.ran, report
        assert {quiet.why for quiet in report.nothing} == {"the model has no sample site"}


# --- manners ---------------------------------------------------------------------------------


def test_a_sampler_without_a_model_is_refused_in_words():
    mcmc = MCMC(NUTS(potential_fn=lambda z: z**2), num_warmup=1, num_samples=1)
    with pytest.raises(TypeError, match="made from a `potential_fn`"):
        examine(mcmc)


def test_what_a_model_or_a_function_prints_is_printed_once(capsys):
    def model():
        print("The pump is on.")
        print("It is loud.", file=sys.stderr)
        return numpyro.sample("level", dist.Normal(0.0, 1.0))

    examine(model)
    examine.function(handlers.seed(model, 0))
    assert capsys.readouterr() == ("The pump is on.\n" * 2, "It is loud.\n" * 2)


def test_a_release_that_is_known_to_be_wrong_is_said_first(monkeypatch):
    assert {"jax", "jaxlib", "numpyro"} <= set(known.installed())
    monkeypatch.setattr(known, "known_bad", lambda versions: [f"jax {versions['jax']} is odd."])
    report = examine(level, COUNTS, checks=["keys"])
    assert str(report).startswith(f"Known: jax {jax.__version__} is odd.\n\nlevel: nothing")
    assert report.ok


def exits(reading):
    sys.exit(0)


def misshapen():
    numpyro.sample("x", dist.Normal(jnp.zeros(2), jnp.ones(3)))


@pytest.mark.parametrize(
    ("model", "args", "raised"),
    [
        (misshapen, (), "ValueError: Incompatible shapes"),
        (exits, (1.0,), "SystemExit: 0"),
        (exits, (), "TypeError: "),
    ],
)
def test_a_model_that_raises_or_is_called_wrongly_is_told_and_no_cause_is_guessed(
    model, args, raised
):
    report = examine(model, *args)
    assert not report.ok and not report.ran
    assert all(f"the model raises {raised}" in skipped.why for skipped in report.not_run), report
    assert "no check could answer" in str(report) and "https:" not in str(report)


def test_a_number_is_a_key_too():
    assert examine(level, COUNTS, rng_key=3, checks=["keys"]).ok
