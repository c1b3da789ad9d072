"""A slow test that passed is left out until something it needs changes."""

import subprocess

import pytest

from tests import kept

TEST = """
import subprocess

import pytest
@pytest.mark.kept("book/one.txt")
def test_slow():
    assert open("book/one.txt").read().strip() == "right"
@pytest.mark.kept("book/two.txt")
def test_other():
    assert open("book/two.txt").read().strip() == "right"
def test_quick():
    pass
"""


@pytest.fixture
def project(pytester, monkeypatch):
    """A small project of a quick test and two slow ones, each of which reads a page."""
    monkeypatch.setattr(kept.pages, "ROOT", pytester.path)
    monkeypatch.setattr(kept, "FILE", pytester.path / "_build" / "passed.json")
    monkeypatch.setattr(kept, "CODE", ("test_it.py",))
    pytester.makepyfile(test_it=TEST)
    pytester.makeini("[pytest]\naddopts = -p tests.kept")
    pytester.path.joinpath(".gitignore").write_text("_build\n__pycache__\n")
    subprocess.run(["git", "init", "-q"], check=True, cwd=pytester.path)
    (pytester.path / "book").mkdir()
    for name in ("one", "two"):
        (pytester.path / "book" / f"{name}.txt").write_text("right")

    def run(*words):
        kept.digest.cache_clear()
        return pytester.runpytest_inprocess(*words)

    yield run, pytester.path
    kept.digest.cache_clear()


def test_what_passed_is_left_out_until_its_page_or_the_code_changes(project):
    run, folder = project
    run().assert_outcomes(passed=3)
    for _ in range(2):
        again = run()
        assert again.ret == 0
        again.stderr.fnmatch_lines(["*no file changed*"])
    run("-q").assert_outcomes(passed=1, deselected=2)
    (folder / "read.me").touch()
    run().assert_outcomes(passed=1, deselected=2)
    (folder / "book" / "one.txt").write_text("right ")
    run().assert_outcomes(passed=2, deselected=1)
    (folder / "test_it.py").write_text(TEST + "\n")
    run().assert_outcomes(passed=3)
    page = folder / "book" / "two.txt"
    page.write_text("wrong")
    for _ in range(2):  # what failed is run again
        run().assert_outcomes(passed=1, failed=1, deselected=1)
    page.unlink()
    run().stderr.fnmatch_lines(["*there is no book/two.txt: mend the mark*"])
