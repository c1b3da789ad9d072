"""Adding a case touches one file: shown in a scratch copy. Run by `make check PART=growth`.

The copy takes the executed pages along, so only the new case is executed there.
"""

import os
import shutil
import subprocess
import sys

import pytest

from bookkit import catalogue, execute, pages

NAME = "grown-in-a-scratch-copy"


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    """A copy of what git tracks or would track, with the executed pages of this checkout."""
    folder = tmp_path_factory.mktemp("scratch") / "book"
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=pages.ROOT, capture_output=True, text=True, check=True)
    for name in filter(None, names.stdout.split("\0")):
        if (pages.ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(pages.ROOT / name, folder / name)
    shutil.copytree(execute.CACHE, folder / execute.CACHE.relative_to(pages.ROOT))
    return folder


def run(scratch, *words):
    env = {**os.environ, "PYTHONPATH": str(scratch), "LANGUAGES": "en"}
    command = [sys.executable, "-m", *words]
    return subprocess.run(command, cwd=scratch, env=env, capture_output=True, text=True)


@pytest.fixture(scope="module")
def grown(scratch):
    """The copy with a new case, executed and built; with what the steps printed."""
    before = {path: path.read_bytes() for path in scratch.rglob("*") if path.is_file()}
    laid = run(scratch, "bookkit.new_case", NAME)
    assert laid.returncode == 0, laid.stderr
    new = [
        path
        for path in scratch.rglob("*")
        if path.is_file() and path.suffix != ".pyc" and before.get(path) != path.read_bytes()
    ]
    assert [path.name for path in new] == [f"{NAME}.md"], "a new case is one file"
    steps = [run(scratch, "bookkit"), run(scratch, "bookkit.build")]
    for step in steps:
        assert step.returncode == 0, step.stdout + step.stderr
    return scratch, steps


def test_only_the_new_case_is_executed(grown):
    lines = grown[1][0].stdout.splitlines()
    executed = {line for line in lines if line.startswith("executing")}
    # The page on `examine` prints what is said of cases.
    assert executed - {"executing examine-your-model …"} == {f"executing {NAME} …"}


def test_the_new_case_is_on_every_page_that_lists_cases(grown):
    site = grown[0] / "_build" / "html" / "book"
    family = next(iter(catalogue.load()))
    assert (site / "cases" / f"{NAME}.html").exists()
    for page in (site / "cases" / "index.html", site / "failures" / f"{family}.html"):
        assert f"{NAME}.html" in page.read_text(), f"{page.name} does not list the new case"


def test_the_readers_package_knows_the_new_case(grown):
    said = run(grown[0], "trace_evidence", "explain", NAME)
    assert "You add one" in said.stdout, said.stderr
    assert "JAX counts to" in said.stdout


def test_its_form_passes_and_the_suite_says_what_is_missing(grown):
    words = ["pytest", "-q", "tests/test_cases.py", "tests/test_structure.py", "-k", NAME]
    done = run(grown[0], *words)
    failed = [line for line in done.stdout.splitlines() if line.startswith("FAILED")]
    assert failed
    assert all("stack" in line or "measured" in line for line in failed), done.stdout
    assert f"run `make page P={NAME}`" in done.stdout


def test_a_second_run_executes_and_builds_nothing(grown):
    again = run(grown[0], "bookkit")
    assert "executing" not in again.stdout
    assert "up to date" in run(grown[0], "bookkit.build").stdout
