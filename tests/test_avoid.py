"""Releases that compute wrong numbers: the tables are those of the record, and readers are told."""

import pytest

from bookkit import avoid as tables
from bookkit.versions import version_order
from trace_evidence import avoid

ROWS = tables.load()
each_row = pytest.mark.parametrize("row", ROWS, ids=[row["program"] for row in ROWS])


@each_row
def test_since_and_until_are_the_ends_that_were_measured(row):
    counted = tables.record()["programs"].get(row["program"], {})
    assert set(row["measure"]) <= set(counted), "run python -m stacks.avoid"
    ordered = sorted(counted, key=version_order)
    wrong = [release for release in ordered if counted[release]["counted"][0]]
    assert wrong[0] == row["since"] != ordered[0], "a release before it must be right"
    if row["until"]:
        assert wrong[-1] == row["until"] != ordered[-1], "a release after it must be right"
    else:
        assert wrong[-1] == ordered[-1]
    assert wrong == ordered[ordered.index(wrong[0]) : ordered.index(wrong[-1]) + 1]


@each_row
def test_the_flag_cures_each_wrong_release(row):
    for release, measured in tables.record()["programs"].get(row["program"], {}).items():
        if measured["counted"][0] and row["flag"]:
            assert measured["with_flag"][0] == 0, release


def test_a_known_bad_release_is_one_sentence_with_its_cure(monkeypatch):
    monkeypatch.setattr(avoid, "rows", lambda: list(tables.rules().values()))
    (said,) = avoid.known_bad({"jax": "0.10.2"})
    assert said.startswith("jaxlib 0.10.2 computes wrong numbers.")
    assert "--xla_cpu_experimental_ynn_fusion_type=" in said and "0.10.1" in said
    assert avoid.known_bad({"jax": "0.10.2", "jaxlib": "0.11.0"}) == []
    assert len(avoid.known_bad({"jaxlib": "0.4.26"})) == 2


@pytest.mark.parametrize("release", ["0.10.1", "0.11.0", "0.12.0.1", "0.4.31"])
def test_of_a_release_that_no_other_replaces_nothing_is_said(monkeypatch, release):
    monkeypatch.setattr(avoid, "rows", lambda: list(tables.rules().values()))
    assert avoid.known_bad({"jaxlib": release}) == []


def test_it_is_said_on_standard_error_with_the_page(monkeypatch, capsys):
    monkeypatch.setattr(avoid, "rows", lambda: list(tables.rules().values()))
    avoid.warn({"scipy": "1.17.0"})
    shown = capsys.readouterr()
    assert not shown.out
    assert "scipy 1.17.0" in shown.err and "reference/releases-to-avoid.html" in shown.err


def test_nothing_is_said_where_the_data_is_not_there(monkeypatch, tmp_path):
    monkeypatch.setattr(avoid.checkout, "DATA", tmp_path / "data.json")
    assert avoid.known_bad({"jax": "0.10.2"}) == []
