"""The folders of `upstream`: whole, consistent with the book, and patches that apply. Quick."""

import re
import shutil
import sys
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from unittest.mock import Mock

import pytest

from bookkit import casebook, entries, upstream, versions
from evidence import engine
from evidence import patches as command

PINS = versions.pins(upstream.STACK)
FOLDERS = sorted(
    path.name for path in upstream.FOLDER.iterdir() if path.is_dir() and path.name[0] != "."
)


@pytest.mark.parametrize("name", FOLDERS)
def test_a_folder_is_whole_and_has_a_row(name):
    assert sorted(upstream.defects()) == FOLDERS
    folder = upstream.FOLDER / name
    files = {path.name for path in folder.iterdir() if path.is_file()}
    tests = {file for file in files if re.fullmatch(r"test_\w+\.py", file)}
    assert len(tests) == 1
    assert files - tests == {"report.md", "fix.patch", "notes.md"}
    report = (folder / "report.md").read_text()
    program = compile(upstream.reproducer(name), "report.md", "exec")
    assert "exit" in program.co_names, "run it as it stands, to exit with 1 while the defect lives"
    assert report.startswith(f"# {upstream.defects()[name]['title']}\n")
    assert f"with JAX {PINS['jax']} on" in " ".join(report.split())
    headings = ["Bug Description", "Steps to Reproduce", "Expected Behavior", "Root cause"]
    assert re.findall(r"^### (.*)$", report, re.M)[:4] == headings
    notes = (folder / "notes.md").read_text()
    assert "**Risk.**" in notes and "**Tracker.** Searched:" in notes


@pytest.mark.parametrize("name", FOLDERS)
def test_a_patch_applies_to_the_books_release_and_what_became_of_it_is_told(
    name, tmp_path, monkeypatch
):
    if upstream.defects()[name].get("checkout"):
        pytest.skip("its file is in no release")
    proven = PINS["numpyro"]
    if proven != metadata.version("numpyro"):
        pytest.skip(f"the patches are for {proven}")
    root = Path(find_spec("numpyro").origin).parent.parent
    patch = upstream.FOLDER / name / "fix.patch"
    for file in re.findall(r"^\+\+\+ b/(\S+)", patch.read_text(), re.M):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / file, tmp_path / file)
    bench = command.Bench(Path(sys.executable), tmp_path)
    monkeypatch.setattr(bench, "reproduce", Mock(side_effect=[1, 0, 1, 1]))
    assert bench.judge(name)["state"] == "still needed"
    assert bench.judge(name)["state"] == "fixed otherwise"
    assert command.apply(patch, tmp_path) == ""
    assert bench.judge(name)["state"] == "merged"
    (tmp_path / file).write_text("")
    assert bench.judge(name)["state"] == "needs a new patch"
    (tmp_path / "numpyro" / "version.py").write_text('__version__ = "0.1.0"\n')
    assert bench.judge(name)["state"] == "older"


@pytest.mark.parametrize("name", FOLDERS)
def test_cases_are_defects_of_the_library_and_of_its_kind(name):
    row = upstream.defects()[name]
    assert row["kind"] in entries.KINDS and row["library"] in entries.LIBRARIES
    assert row["state"] in ("not reported", "reported", "merged") or re.fullmatch(
        r"released in \d+\.\d+(\.\d+)?", row["state"]
    )
    assert (row["state"] == "not reported") == ("url" not in row), "a thread has an address"
    cases = [entries.cases()[slug] for slug in row["cases"]]
    assert all((case.whose, case.library) == ("library", row["library"]) for case in cases)
    assert not cases or cases[0].kind == row["kind"]
    for case in cases:
        assert "/book/reference/upstream.md" in casebook.patch(case)


@pytest.mark.parametrize("name", FOLDERS)
def test_the_record_is_of_what_stands_here(name):
    """A patch, a test or a reproducer that has changed wants `python -m evidence patch`."""
    if upstream.defects()[name].get("checkout"):
        assert upstream.checked_out()[name]["state"] in ("proven", "fixed")
        return
    row = upstream.proven()[name]
    assert row["state"] in ("proven", "fixed"), row["state"]
    _, *digests = engine.wanted(command.PATCH)[name, upstream.STACK]
    assert engine.is_known(row, *digests), "run python -m evidence patch"


def test_with_all_patches_the_cases_are_right():
    cases = upstream.proven()["together"]["cases"]
    asked = {slug for row in upstream.defects().values() for slug in row["cases"]}
    assert {slug for slug, case in cases.items() if case["patched"]} == asked
    for slug in asked:
        assert cases[slug]["verdict"] == "ok", (slug, cases[slug])
    assert any(case["verdict"] == "wrong" for case in cases.values()), "nothing can fail here"


def test_what_a_row_comes_to():
    good = {
        "reproducer": {"without": 1, "with": 0},
        "test": {"without": {"failed": 1}, "with": {"failed": 0, "passed": 1}},
        "own": [{"broken": []}],
    }
    none, one = {"failed": 0, "passed": 1}, {"failed": 1, "passed": 1}
    for found, state in (
        ({}, "proven"),
        ({"reproducer": {"without": 0, "with": 0}}, "fixed"),
        ({"reproducer": {"without": 1, "with": 1}}, "the reproducer"),
        ({"test": {"without": none, "with": none}}, "the test passes without"),
        ({"test": {"without": one, "with": one}}, "the test with"),
        ({"own": [{"broken": ["test_x"]}]}, "test_x fails with"),
    ):
        assert command.state_of({**good, **found}).startswith(state)
