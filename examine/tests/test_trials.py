"""The bench of `examine`: what counts as an alarm, how programs are met, what is recorded."""

import json

import numpyro
import numpyro.distributions as dist
import pytest
from examine_model import report
from numpyro.contrib.einstein import SteinVI
from numpyro.infer import MCMC, SVI, Predictive, util
from trials import corpus, count, harvest, load_record, pairs


def test_each_alarm_in_the_record_is_explained_and_few_are_false():
    rows = [row for row in corpus.load() if row.get("ran")]
    kinds = [corpus.kind(row) for row in rows if row["findings"]]
    assert set(kinds) <= {"defect", "deliberate", "false"}
    assert kinds.count("false") <= len(rows) / 50
    assert len(kinds) == len(corpus.explanations()), "an explanation without its alarm"
    assert all(entry["why"].endswith(".") for entry in corpus.explanations())


def test_the_record_has_300_models_each_case_and_20_models_for_each_check():
    kept = load_record()
    assert kept["others"]["all"]["models"] >= 300
    ran = kept["others"]["all"]["ran"]
    assert ran.keys() == {*report.NAMES} and min(ran.values()) >= 20
    assert set(kept["others"]) - {"all"} == set(corpus.projects())
    assert kept["cases"] == count.by_case(count.load("after")), "run python -m trials.count --write"
    assert kept["not_applicable"] == pairs.NOT_APPLICABLE, "run python -m trials.count --write"
    assert kept["sixties"] == count.sixties(), "run python -m trials.count --write after"
    assert kept | corpus.for_the_record() == kept, "run python -m trials.corpus"


def test_of_the_second_sixty_no_whole_one_is_alarmed():
    files = {file.stem for file in count.SECOND.glob("*.py")}
    assert files == count.of_second().keys() == count.load("after", count.SECOND).keys()
    found = count.sixties()["second"]
    assert found["after"]["alarmed"] == found["before"]["alarmed"] == 0
    assert (found["after"]["hit"], found["before"]["hit"]) == (24, 24)


def test_programs_are_scripts_tests_and_notebooks_that_use_numpyro(tmp_path):
    there = ("examples/a.py", "examples/odds_test.py", "test/test_b.py", "c.ipynb")
    for name in (*there, "library/d.py", ".git/e.ipynb"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("import numpyro")
    (tmp_path / "examples" / "plain.py").write_text("import numpy")
    main = "import numpyro\nif __name__ == '__main__':\n    1"
    (tmp_path / "library" / "run.py").write_text(main)
    found = {str(path.relative_to(tmp_path)) for path in corpus.programs(tmp_path)}
    assert found == {*there, "library/run.py"}
    assert [name for name in there if harvest.is_test(tmp_path / name)] == ["test/test_b.py"]


def test_the_sixty_are_counted_by_what_is_said_of_each(monkeypatch):
    cases = {"a": "leaf-order", "b": "leaf-order", "c": "leaf-order", "d": "whole", "e": "whole"}
    monkeypatch.setattr(count, "table", lambda: cases)
    quiet = {"findings": {}, "hints": {}, "could_not": {}, "seconds": 1.0}
    rows = {
        "a": quiet | {"hints": {"leaf-order": ["lru-cache", "leaf-order"]}},
        "b": quiet | {"findings": {"float32": ["float32-likelihood"]}, "seconds": 4.0},
        "c": {"broke": "TypeError: no"},
        "d": quiet | {"findings": {"float32": []}, "could_not": {"jit": "long"}},
        "e": quiet | {"hints": {"missing-plate": []}},
    }
    assert count.summary(rows) == {
        "hit": 3, "found": 2, "named": 1, "whole": 2, "alarmed": ["d"],
        "not named": ["b", "c"], "could not": ["c", "d"], "median seconds": 1.0,
    }  # fmt: skip


def test_each_of_the_sixty_has_a_row_and_no_whole_one_is_alarmed():
    cases, after = count.table(), count.load("after")
    files = {path.stem for path in count.FOLDER.glob("*.py")}
    assert cases.keys() == files == count.load("before").keys() and len(files) == 60
    assert after.keys() == count.cases().keys(), "run python -m trials.count --write after"
    said = {name: count.verdict(name, row) for name, row in after.items()}
    assert {*said.values()} == {"named", "left alone"}, said


PROGRAM = """
import no_such_package
import jax
from numpyro import distributions as dist, infer, optim, sample
from numpyro.infer import MCMC, NUTS
from jax.random import PRNGKey
def tank(reading):
    sample("reading", dist.Normal(sample("level", dist.Normal(0.0, 1.0)), 1.0), obs=reading)
assert numpyro.__version__.startswith("0.1")
mcmc = MCMC(NUTS(tank), num_warmup=1, num_samples=1)
infer.Predictive(tank, num_samples=1)(PRNGKey(0), None)
{time}mcmc.run(PRNGKey(0), 2.0, extra_fields=("energy",))
mcmc.run(PRNGKey(0), 3.0)
def fails():
    1 / 0
MCMC(NUTS(fails), num_warmup=9, num_samples=9).run(PRNGKey(0))
def stepped(reading):
    tank(reading)
started = infer.SVI(stepped, stepped, optim.Adam(1.0), infer.Trace_ELBO()).init(PRNGKey(0), 4.0)
def given(reading):
    tank(reading)
made = infer.util.initialize_model(PRNGKey(0), given, model_args=(5.0,))
def hidden(reading):
    tank(reading)
jax.jit(lambda at: infer.util.initialize_model(PRNGKey(0), hidden, model_args=(at,)))(6.0)
"""


@pytest.mark.parametrize("suffix", [".py", ".ipynb"])
def test_a_model_is_examined_where_inference_is_called_first(tmp_path, suffix, monkeypatch):
    """A sampler that fails leaves its model, a loop of steps is not run, nor a model in `jit`."""
    for owner, name in ((MCMC, "run"), (SVI, "init"), (SVI, "run"), (SteinVI, "run"),
                        (Predictive, "__call__"), (util, "initialize_model"),
                        (numpyro, "render_model")):  # fmt: skip
        monkeypatch.setattr(owner, name, getattr(owner, name))  # put back afterwards
    script, notebook = (PROGRAM.replace("{time}", magic) for magic in ("", "%time "))
    source = [*notebook.splitlines(keepends=True), "%matplotlib inline\n"]
    cells = {"cells": [{"cell_type": "code", "source": part} for part in (source, ["  2 + 2"])]}
    file, out = tmp_path / f"program{suffix}", tmp_path / "rows.jsonl"
    file.write_text(script if suffix == ".py" else json.dumps(cells))

    def examined(met, args, *_):
        if isinstance(met, MCMC):
            return {"args": str(args), "ran": [met.num_samples, float(met.last_state.energy) > 0]}
        return {"args": str(args), "ran": []}

    monkeypatch.setattr(harvest, "examined", examined)
    monkeypatch.setattr(harvest, "with_a_prior", lambda *_: None)
    harvest.Spy(file, out).install()
    space = {}
    harvest.run(harvest.statements(file), str(file), space)
    rows = [*map(json.loads, out.read_text().splitlines())]
    assert [(row["model"].partition(",")[0], row["args"], row["ran"]) for row in rows] == [
        ("tank", "(2.0,)", [4, True]), ("fails", "()", []),
        ("stepped", "(4.0,)", []), ("given", "(5.0,)", []),
    ]  # fmt: skip
    assert space["made"] and "started" not in space


def test_what_another_release_finds_differently_is_said():
    quiet = {"findings": {}, "hints": {}}
    now = {"dose": quiet, "schools": quiet | {"findings": {"float32": []}}, "radon": quiet}
    assert list(count.changes(now.items())) == [
        "dose: missed by examine now, named before",
        "schools: alarmed by examine now, left alone before",
    ]


def test_a_prior_becomes_an_argument():
    def tank(reading):
        level = numpyro.sample("level", dist.Normal(0.0, 3.0))
        numpyro.sample("reading", dist.Normal(level, 1.0), obs=reading)

    model, args, kwargs, _ = harvest.with_a_prior(tank, (2.0,), {})
    assert args[0].scale == 3.0 and args[1:] == (2.0,)
    row = harvest.examined(model, (dist.Normal(0.0, 5.0), 2.0), kwargs, None, checks=["pytree"])
    assert (row["ran"], row["findings"]) == (["pytree"], [])
