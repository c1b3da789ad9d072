"""The bench of `examine`: what counts as an alarm, how programs are met, what is recorded."""

import json
import sys

import numpyro
import numpyro.distributions as dist
import pytest
from examine_model import report
from numpyro.infer import MCMC, SVI, Predictive
from trials import count, harvest, pairs

QUIET = {"ran": ["keys"], "seconds": 1.0}
NAMED = {"findings": {"precision: float32": ["float32-likelihood"]}}


@pytest.mark.parametrize(
    ("case", "said", "word"),
    [
        ("float32-likelihood", NAMED, "found, named"), ("float32", NAMED, "found, named"),
        ("leaf-order", NAMED, "found"), ("whole", NAMED, "alarmed"),
        ("leaf-order", {"hints": {"pytree: leaf-order": ["lru-cache"]}}, "hinted, named"),
        ("lru-cache", {"hints": {"pytree: leaf-order": ["lru-cache"]}}, "hinted, named"),
        ("jumps", {"hints": {"pytree: leaf-order": []}}, "hinted"), ("jumps", {}, "missed"),
        ("whole", {"hints": {"likelihood: missing-plate": []}}, "left alone"),
        ("whole", {"ran": []}, "no answer"), ("jumps", {"broke": "TypeError: no"}, "no answer"),
    ],
)  # fmt: skip
def test_a_word_says_what_came_of_a_model(case, said, word):
    assert count.verdict(case, QUIET | said) == word


def test_each_model_has_one_row_with_its_word_and_each_of_its_own_is_named_or_left_alone():
    rows, known = count.load(), count.known()
    there = {file.stem for file in count.MODELS.glob("*.py")} | pairs.PAIRS.keys()
    assert there == {name.removesuffix(count.CURED) for name in known}
    places = [(row["of"], row.get("file"), row["model"]) for row in rows]
    assert len(places) == len(set(places))
    assert all(row["said"] == count.verdict(row["case"], row) for row in rows)
    wrong = {row["model"] for row in known.values() if row["said"] != "left alone"
             and not row["said"].endswith("named")}  # fmt: skip
    assert wrong == WRONG


WRONG = {"h04", "h05", "h23", "h29", "h30"}
"""Four raise by themselves. A key of a loop is hinted at as one that the model makes itself."""


def test_other_peoples_models_are_300_each_check_met_20_and_a_fiftieth_at_most_is_alarmed():
    others = [row for row in count.load() if "file" in row and row["ran"]]
    alarmed = [row for row in others if row["said"] == "alarmed"]
    assert len(others) >= 300 and len(alarmed) <= len(others) / 50
    ran = [check for row in others for check in row["ran"]]
    assert all(ran.count(check) >= 20 for check in report.NAMES)


def test_what_another_release_finds_differently_is_said(monkeypatch):
    answers = {"dose": QUIET, "lynx": QUIET | NAMED, "w10": QUIET}
    monkeypatch.setattr(count, "ask", lambda names: ((name, answers[name]) for name in names))
    assert list(count.compare(answers)) == [
        "dose: missed by examine now, found, named before",
        "lynx: alarmed by examine now, left alone before",
    ]


def test_a_row_keeps_what_was_written_by_hand_and_its_place(tmp_path, monkeypatch):
    monkeypatch.setattr(count, "FILE", tmp_path / "rows.jsonl")
    dose = {"of": "first", "model": "dose", "case": "float32", "before": "missed"}
    other = {"of": "lab", "file": "a.py", "model": "tank, line 3", "case": "defect"}
    count.save([dose, other])
    monkeypatch.setattr(count, "ask", lambda names: ((name, QUIET | NAMED) for name in names))
    count.write(["dose"])
    assert count.load() == [dose | {"said": "found, named"} | QUIET | NAMED, other]
    count.keep("lab", "a.py", [{"model": "tank, line 3"} | QUIET, {"model": "new, line 9"} | QUIET])
    assert [(row["model"], row["case"], row["said"]) for row in count.load()[1:]] == [
        ("tank, line 3", "defect", "missed"), ("new, line 9", "whole", "left alone"),
    ]  # fmt: skip


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
def fitted(reading):
    tank(reading)
done = infer.SVI(fitted, fitted, optim.Adam(1.0), infer.Trace_ELBO()).run(PRNGKey(0), 99, 5.0)
"""


@pytest.mark.parametrize("suffix", [".py", ".ipynb"])
def test_a_model_is_examined_where_inference_is_called_first(tmp_path, suffix, monkeypatch):
    """A sampler that fails leaves its model, and a loop of steps is not run."""
    for owner, name in ((MCMC, "run"), (SVI, "init"), (SVI, "run"), (Predictive, "__call__")):
        monkeypatch.setattr(owner, name, getattr(owner, name))  # put back afterwards
    monkeypatch.setattr(sys, "argv", [])
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.chdir(tmp_path)
    script, notebook = (PROGRAM.replace("{time}", magic) for magic in ("", "%time "))
    source = [*notebook.splitlines(keepends=True), "%matplotlib inline\n"]
    cells = {"cells": [{"cell_type": "code", "source": part} for part in (source, ["  2 + 2"])]}
    file = tmp_path / f"program{suffix}"
    file.write_text(script if suffix == ".py" else json.dumps(cells))

    def examined(met, args, *_):
        if isinstance(met, MCMC):
            return {"args": str(args), "ran": [met.num_samples, float(met.last_state.energy) > 0]}
        return {"args": str(args), "ran": []}

    monkeypatch.setattr(harvest, "examined", examined)
    rows = harvest.models_of(file, [])
    assert [(row["model"].partition(",")[0], row["args"], row["ran"]) for row in rows] == [
        ("tank", "(2.0,)", [4, True]), ("fails", "()", []), ("stepped", "(4.0,)", []),
        ("fitted", "(5.0,)", []),
    ]  # fmt: skip


def test_the_answer_to_a_strangers_model_is_that_of_examine():
    def tank(reading):
        numpyro.sample("reading", dist.Normal(numpyro.sample("x", dist.Normal()), 1.0), obs=reading)

    said = harvest.examined(tank, (1.0,), {}, None)
    assert {"keys", "jit"} <= {*said["ran"]} and "findings" not in said, said
