"""A slow test that passed is left out until something it needs changes."""

import subprocess

from tests import kept

TEST = """
import pytest
@pytest.mark.kept("book/one.txt")
def test_slow():
    assert open("book/one.txt").read().strip() == "right"
def test_quick():
    pass
"""


def test_what_passed_is_left_out_until_its_page_or_the_code_changes(pytester, monkeypatch):
    monkeypatch.setattr(kept.pages, "ROOT", pytester.path)
    monkeypatch.setattr(kept, "FILE", pytester.path / "_build" / "passed.json")
    monkeypatch.setattr(kept, "CODE", ("test_it.py",))
    code = pytester.makepyfile(test_it=TEST)
    pytester.makeini("[pytest]\naddopts = -p tests.kept")
    pytester.path.joinpath(".gitignore").write_text("_build\n__pycache__\n")
    subprocess.run(["git", "init", "-q"], check=True, cwd=pytester.path)
    page = pytester.mkdir("book") / "one.txt"
    page.write_text("right")

    def run(*words):
        kept.digest.cache_clear()
        return pytester.runpytest_inprocess(*words)

    run().assert_outcomes(passed=2)
    again = run()
    assert again.ret == 0
    again.stderr.fnmatch_lines(["*no file changed*"])
    (pytester.path / "read.me").touch()
    run().assert_outcomes(passed=1, deselected=1)
    for file, text in ((page, "right "), (code, TEST + "\n")):
        file.write_text(text)
        run().assert_outcomes(passed=2)
    page.write_text("wrong")
    for _ in range(2):  # what failed is run again
        run().assert_outcomes(passed=1, failed=1)
    page.unlink()
    run().stderr.fnmatch_lines(["*there is no book/one.txt: mend the mark*"])
    kept.digest.cache_clear()
