"""The bench of `examine`: what counts as an alarm, how halves are chosen, how programs are met."""

import json

import pytest
from trials import corpus, detection, harvest, pairs, record


def row(**changed):
    base = {"project": "p", "file": "f.py", "model": "model", "half": "seen", "ran": ["jit"]}
    return {**base, "findings": [], "seconds": 1.0, **changed}


def test_the_summary_counts_alarms_by_what_explains_them(monkeypatch):
    entry = {"project": "p", "file": "f.py", "model": "a", "kind": "defect", "why": "Because."}
    monkeypatch.setattr(corpus, "explanations", lambda: [entry])
    rows = [
        row(model="a", findings=[{"check": "jit"}], half="aside"),
        row(model="b", findings=[{"check": "jit"}], seconds=3.0, gradient=1.0),
        row(model="c"),
        row(model="d", ran=[]),
    ]
    found = corpus.summary(rows)["all"]
    assert (found["models"], found["aside"], found["no answer"]) == (3, 1, 1)
    assert (found["defect"], found["unexplained"]) == (1, 1)
    assert (found["median_seconds"], found["ratio"]) == (1.0, 3.0)


def test_each_alarm_in_the_record_is_explained_and_few_are_false():
    rows = [row for row in corpus.load() if row.get("ran")]
    alarms = [row for row in rows if corpus.is_alarm(row)]
    assert not [(row["file"], row["model"]) for row in alarms if not corpus.explained(row)]
    false = [row for row in alarms if corpus.explained(row)["kind"] == "false"]
    assert len(false) <= len(rows) / 50
    kinds = {entry["kind"] for entry in corpus.explanations()}
    assert kinds <= {"defect", "deliberate", "false"}
    met = {(row["project"], row["file"], row["model"]) for row in alarms}
    explained = {(row["project"], row["file"], row["model"]) for row in corpus.explanations()}
    assert explained <= met, "an explanation without its alarm"
    assert all(entry["why"].endswith(".") for entry in corpus.explanations())


def test_the_record_has_150_models_half_of_them_set_aside_and_is_cheap():
    found = corpus.summary(corpus.load())["all"]
    assert found["models"] >= 150
    assert 2 * found["aside"] >= 150
    assert found["median_seconds"] < 2.0
    assert found["costed"] >= 10
    assert found["largest_ratio"] <= 5.0
    assert set(corpus.summary(corpus.load())) - {"all"} == set(corpus.projects())


def test_programs_are_scripts_tests_and_notebooks_that_use_numpyro(tmp_path):
    for name in ("examples/a.py", "test/test_b.py", "c.ipynb", "library/d.py", ".git/e.ipynb"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("import numpyro")
    (tmp_path / "examples" / "plain.py").write_text("import numpy")
    found = {str(path.relative_to(tmp_path)) for path in corpus.programs(tmp_path)}
    assert found == {"examples/a.py", "test/test_b.py", "c.ipynb"}


def test_a_file_that_is_run_again_replaces_its_rows(tmp_path):
    file = tmp_path / "p.jsonl"
    old, other = row(seconds=9.0, code="old"), row(file="g.py")
    corpus.keep(file, [old, other])
    corpus.keep(file, [row(code="new"), {"file": "f.py", "half": "all", "why": ""}])
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert [(kept["file"], kept.get("code")) for kept in rows] == [
        ("g.py", None),
        ("f.py", "new"),
        ("f.py", None),
    ]


def test_a_notebook_goes_on_after_a_statement_that_fails(tmp_path):
    cells = [
        ["%matplotlib inline\n", "import no_such_package\n", "a = 1\n", "a = b"],
        ["c = a + 1"],
    ]
    text = {"cells": [{"cell_type": "code", "source": source} for source in cells]}
    (tmp_path / "n.ipynb").write_text(json.dumps(text))
    space = {}
    harvest.run_notebook(tmp_path / "n.ipynb", space)
    assert space["c"] == 2


def test_a_model_is_known_by_its_place():
    def model():
        pass

    assert harvest.place_of(model).startswith("test_a_model_is_known_by_its_place.<locals>.model, ")
    assert harvest.place_of(object()) == "object"


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        ({"found": ["jit"], "alarms": []}, {"found": [], "alarms": []}, ["not found by examine"]),
        ({"found": [], "alarms": []}, {"found": [], "alarms": ["x"]}, ["twin is alarmed"]),
        ({"found": ["jit"], "alarms": []}, {"found": ["scan"], "alarms": []}, []),
    ],
)
def test_what_another_release_finds_differently_is_said(before, now, said):
    found = detection.changes({"case": before}, {"case": now})
    assert len(found) == len(said)
    assert all(words in row for words, row in zip(said, found, strict=True))


def test_the_record_has_each_pair_and_what_the_corpus_says_now():
    kept = record.load()
    assert set(kept["cases"]) == set(pairs.PAIRS), "run python -m trials.detection --write"
    assert kept["not_applicable"] == pairs.NOT_APPLICABLE, "run python -m trials.detection --write"
    assert all(len(why.split()) > 5 for why in pairs.NOT_APPLICABLE.values())
    assert kept | corpus.for_the_record() == kept, "run python -m trials.corpus --table"
