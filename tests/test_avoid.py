"""Releases that compute wrong numbers: the tables are those of the record, and readers are told."""

import re

import pytest

from bookkit import avoid as tables
from bookkit.pages import ROOT
from bookkit.versions import pins_of, version_order
from evidence.kinds import RELEASES, count
from tools import environments
from trace_evidence import avoid

ROWS = tables.tables()
each_row = pytest.mark.parametrize("row", ROWS, ids=[row["program"] for row in ROWS])


@each_row
def test_since_and_until_are_the_ends_that_were_measured(row):
    counted = tables.counted().get(row["program"], {})
    assert set(row["measure"]) <= set(counted), "run python -m evidence release"
    ordered = sorted(counted, key=version_order)
    wrong = [release for release in ordered if counted[release]["counted"][0]]
    assert wrong[0] == row["since"] != ordered[0], "a release before it must be right"
    if row["until"]:
        assert wrong[-1] == row["until"] != ordered[-1], "a release after it must be right"
    else:
        locked = pins_of((ROOT / "requirements.txt").read_text())[row["library"]]
        assert wrong[-1] == ordered[-1] == locked, "run python -m evidence release"
    assert wrong == ordered[ordered.index(wrong[0]) : ordered.index(wrong[-1]) + 1]
    if row["flag"]:
        assert all(counted[release]["with_flag"][0] == 0 for release in wrong), "it is no cure"


@each_row
def test_a_cure_leads_to_no_release_of_another_row_that_ends(row):
    named = [version_order(release) for release in re.findall(r"\d+\.[\d.]*\d", row["cure"])]
    for other in ROWS:
        if other["library"] == row["library"] and other["until"]:
            first, last = version_order(other["since"]), version_order(other["until"])
            assert not [release for release in named if first <= release <= last], other["program"]


@pytest.mark.parametrize("row", tables.tables("mended"), ids=lambda row: row["program"])
def test_what_is_mended_was_wrong_and_is_right_on_the_newest(row):
    counted = tables.counted().get(row["program"], {})
    assert set(row["measure"]) <= set(counted), "run python -m evidence release"
    ordered = sorted(counted, key=version_order)
    wrong = [release for release in ordered if counted[release]["counted"][0]]
    assert wrong == ordered[: len(wrong)] and wrong[-1:] == [row["until"]]
    locked = pins_of((ROOT / "requirements.txt").read_text())[row["library"]]
    assert locked == ordered[-1] != row["until"], "run python -m evidence release"
    last, first = (version_order(release) for release in ordered[len(wrong) - 1 :][:2])
    others = [one for one in tables.tables("mended") if one["library"] == row["library"]]
    known = {release for one in others for release in one["measure"]}
    between = [release for release in known if last < version_order(release) < first]
    assert not between, "whether these were wrong too, nobody measured"


@pytest.mark.slow
@pytest.mark.parametrize("home", [environments.NOW, environments.THEN], ids=["now", "then"])
@each_row
def test_the_books_own_stacks_compute_as_the_record_says(row, home):
    release = version_order(environments.versions(home)[row["library"]])
    until = row["until"]
    bad = version_order(row["since"]) <= release and (not until or release <= version_order(until))
    code = (RELEASES / f"{row['program']}.py").read_text()
    assert bool(count(home / "bin" / "python", code)[0]) == bad


def test_a_known_bad_release_is_one_sentence_with_its_cure(monkeypatch):
    monkeypatch.setattr(avoid, "releases", lambda: list(tables.rules().values()))
    (said,) = avoid.known_bad({"jax": "0.10.2"})
    assert said.startswith("jaxlib 0.10.2 computes wrong numbers.")
    assert "--xla_cpu_experimental_ynn_fusion_type=" in said and "0.10.1" in said
    assert len(avoid.known_bad({"jaxlib": "0.4.26"})) == 2
    for good in ("0.10.1", "0.11.0", "0.12.0.1", "0.4.31"):
        assert avoid.known_bad({"jax": "0.10.2", "jaxlib": good}) == []
