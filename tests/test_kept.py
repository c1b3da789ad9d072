"""A slow test that passed is left out until something it needs changes."""

import pytest

from tests import kept

TEST = """
import pytest
@pytest.mark.kept("book/*.txt")
def test_slow():
    assert open("book/page.txt").read() == "right"
def test_quick():
    pass
"""


@pytest.fixture
def project(pytester, monkeypatch):
    """A small project of one slow and one quick test, and a page that the slow one reads."""
    monkeypatch.setattr(kept.pages, "ROOT", pytester.path)
    monkeypatch.setattr(kept, "FILE", pytester.path / "_build" / "passed.json")
    monkeypatch.setattr(kept, "CODE", ("test_it.py",))
    pytester.makepyfile(test_it=TEST)
    (pytester.path / "book").mkdir()
    (pytester.path / "book" / "page.txt").write_text("right")

    def run(*words):
        kept.digest.cache_clear()
        return pytester.runpytest_inprocess("-p", "tests.kept", "-q", *words)

    yield run, pytester.path
    kept.digest.cache_clear()


def test_what_passed_is_left_out_and_named(project):
    run, _ = project
    run().assert_outcomes(passed=2)
    again = run()
    again.assert_outcomes(passed=1, deselected=1)
    again.stdout.fnmatch_lines(["1 slow tests passed before*--again*"])
    run("--again").assert_outcomes(passed=2)


@pytest.mark.parametrize("file", ["test_it.py", "book/page.txt"])
def test_what_it_needs_brings_it_back(project, file):
    run, folder = project
    run()
    (folder / file).write_text((folder / file).read_text() + " ")
    run().assert_outcomes(passed=2 - (file != "test_it.py"), failed=int(file != "test_it.py"))


def test_a_file_is_not_imported_where_all_of_it_is_left_out(project):
    run, folder = project
    whole = "import pytest\npytestmark = pytest.mark.kept('book')\n"
    file = folder / "test_whole.py"
    file.write_text(whole + "def test_one():\n    pass\ndef test_two():\n    pass\n")
    run("test_whole.py::test_one").assert_outcomes(passed=1)  # one of two is not the file
    run().assert_outcomes(passed=3, deselected=1)
    again = run()
    again.assert_outcomes(passed=1, deselected=1)
    again.stdout.fnmatch_lines(["3 slow tests passed before*"])
    run("--again").assert_outcomes(passed=4)
    (folder / "book" / "new.txt").write_text("a file that its mark names")
    run().assert_outcomes(passed=4)
    (folder / "book" / "new.txt").unlink()
    file.write_text(file.read_text() + "def test_three():\n    assert False\n")
    (folder / "test_it.py").touch()
    run("--again").assert_outcomes(passed=4, failed=1)
    run().assert_outcomes(passed=1, failed=1, deselected=3)


def test_what_failed_is_run_again_and_a_damaged_record_counts_as_none(project):
    run, folder = project
    page = folder / "book" / "page.txt"
    page.write_text("wrong")
    run().assert_outcomes(passed=1, failed=1)
    run().assert_outcomes(passed=1, failed=1)
    page.write_text("right")
    run().assert_outcomes(passed=2)
    (folder / "_build" / "passed.json").write_text('{"test')
    run().assert_outcomes(passed=2)


def test_a_mark_that_names_nothing_is_one_line(project):
    run, folder = project
    (folder / "book" / "page.txt").unlink()
    found = run()
    assert found.ret != 0
    found.stderr.fnmatch_lines(["*there is no book/[*].txt: mend the mark*"])
