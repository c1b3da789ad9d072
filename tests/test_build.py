"""Incremental builds tell the truth: what was built is believed as far as it can be checked."""

import os
import subprocess
import sys

import nbformat
import pytest

from bookkit import build, execute, languages, pages

FAKE = """\
#!{python}
import pathlib, sys
root = pathlib.Path(sys.argv[2])
(root / "calls").open("a").write("built\\n")
out = root / "_build" / "html"
fresh = not out.exists()
out.mkdir(parents=True, exist_ok=True)
for page in sorted((root / "book").rglob("*.md")):
    target = out / f"{{page.stem}}.html"
    if fresh or not target.exists() or target.stat().st_mtime < page.stat().st_mtime:
        target.write_text(page.read_text() * 3)
    if (root / "stop").exists():
        import os
        os.kill(os.getpid(), 9)
sys.exit((root / "fail").exists())
"""
INPUTS = [*execute.DATA, "trace_evidence/then.py", "bookkit/build.py", "book/_static/book.css"]


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A small checkout, built by a stand-in for Jupyter Book that notes its calls."""
    for name in (*INPUTS, "_config.yml", "_toc.yml", "book/one.md", "book/two.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("before\n")
    command = tmp_path / "bin" / "jupyter-book"
    command.parent.mkdir()
    command.write_text(FAKE.format(python=sys.executable))
    command.chmod(0o755)
    for name, value in {"ROOT": "", "BOOK": "book", "BUILD": "_build"}.items():
        monkeypatch.setattr(pages, name, tmp_path / value)
    out = tmp_path / "_build"
    names = {"SITE": "html", "DOCTREES": ".doctrees", "RECORD": "site.txt", "LOG": "log.txt"}
    for name, value in names.items():
        monkeypatch.setattr(build, name, out / value)
    monkeypatch.setenv(languages.VARIABLE, languages.ENGLISH)
    monkeypatch.setattr(build.sys, "executable", str(tmp_path / "bin" / "python"))
    assert build.main() == 0
    return tmp_path


def calls(checkout):
    return len((checkout / "calls").read_text().split())


def page(checkout, name="one"):
    return checkout / "_build" / "html" / f"{name}.html"


def test_a_second_run_builds_nothing_and_a_damaged_record_is_no_record(checkout, capsys):
    assert build.main() == 0
    assert calls(checkout) == 1
    assert "up to date" in capsys.readouterr().out
    build.RECORD.write_text('{"sources": ')
    assert build.main() == 0
    assert calls(checkout) == 2


PYTHON = """\
#!/bin/sh
cd "{folder}" && echo "$3" >> editions
mkdir -p _build/html/de && echo page > _build/html/de/one.html
"""


def editions(checkout):
    return (checkout / "editions").read_text().split()


@pytest.fixture
def german(checkout, monkeypatch):
    """That checkout with a second language, built."""
    (checkout / "locale" / "de" / "LC_MESSAGES").mkdir(parents=True)
    (checkout / "locale" / "de" / "language.toml").write_text('name = "Deutsch"\naddress = "de"\n')
    (checkout / "bin" / "python").write_text(PYTHON.format(folder=checkout))
    (checkout / "bin" / "python").chmod(0o755)
    monkeypatch.setattr(languages, "FOLDER", checkout / "locale")
    monkeypatch.setenv(languages.VARIABLE, "")
    languages.known.cache_clear()
    assert build.main() == 0
    yield checkout
    languages.known.cache_clear()


def test_a_second_language_is_built_once_and_from_then_on_for_its_own_words(german):
    """A page's words are for Sphinx to see; those that any page may have build all from nothing."""
    assert (calls(german), editions(german)) == (2, ["de"])
    assert build.main() == 0
    assert (calls(german), editions(german)) == (2, ["de"])
    for name, stays in {"book/one": True, "interface": False}.items():
        mark = german / "_build" / "html" / "mark"
        mark.touch()
        file = german / "locale" / "de" / "LC_MESSAGES" / f"{name}.po"
        file.parent.mkdir(exist_ok=True)
        file.write_text('msgid ""\n')
        assert build.main() == 0
        assert mark.exists() == stays
    assert editions(german) == ["de", "de", "de"]


def test_a_language_can_be_left_out(german, monkeypatch):
    monkeypatch.setenv(languages.VARIABLE, languages.ENGLISH)
    assert build.main() == 0
    assert not (german / "_build" / "html" / "de").exists()


@pytest.mark.parametrize("changed", INPUTS)
def test_what_all_pages_depend_on_builds_the_site_from_nothing(checkout, changed):
    """Both locks, the package, the machinery, the style."""
    page(checkout).write_text("stale")
    kept = page(checkout).stat()
    (checkout / changed).write_text("after\n")
    assert build.main() == 0
    assert page(checkout).read_text() == "before\n" * 3
    assert page(checkout).stat().st_mtime_ns != kept.st_mtime_ns


def test_a_changed_page_is_built_and_the_others_stay(checkout):
    before = page(checkout, "two").stat().st_mtime_ns
    (checkout / "book" / "one.md").write_text("after\n")
    os.utime(checkout / "book" / "one.md", ns=(before + 10**9, before + 10**9))
    assert build.main() == 0
    assert page(checkout).read_text() == "after\n" * 3
    assert page(checkout, "two").stat().st_mtime_ns == before


def test_after_a_kill_in_the_middle_the_next_run_builds_from_nothing(checkout):
    """The site builder is killed after the first page was written."""
    (checkout / "book" / "one.md").write_text("after\n")
    (checkout / "book" / "two.md").write_text("after\n")
    (checkout / "stop").touch()
    assert build.main() == 1
    assert not build.RECORD.exists()
    (checkout / "stop").unlink()
    assert build.main() == 0
    assert [page(checkout, name).read_text() for name in ("one", "two")] == ["after\n" * 3] * 2


def test_a_failed_build_is_one_line_with_the_log_and_is_not_believed(checkout, capsys):
    (checkout / "fail").touch()
    (checkout / "book" / "one.md").write_text("after\n")
    assert build.main() == 1
    assert "error: the site was not built" in capsys.readouterr().err
    (checkout / "fail").unlink()
    assert build.main() == 0


# --- the cache of executed pages -------------------------------------------------------------


def test_a_folder_that_is_no_cache_is_refused_and_left_alone(tmp_path):
    mine = tmp_path / "thesis.txt"
    mine.write_text("years of work")
    with pytest.raises(pages.PageError, match="is no cache of executed pages"):
        execute.open_cache(tmp_path, current="now")
    assert mine.read_text() == "years of work"


def test_a_page_that_prints_what_is_said_of_cases_is_executed_anew_when_that_changes(monkeypatch):
    def kept(code, **said):
        row = {"kind": "case", "page": "p", "cure": "c", **said}
        monkeypatch.setattr(execute.triage, "data", lambda: {"explain": {"a-case": row}})
        cells = [nbformat.v4.new_code_cell(code)]
        return execute.package_of(nbformat.v4.new_notebook(cells=cells))

    first = kept(execute.REPORTS, title="old", text="…")
    assert first == kept(execute.REPORTS, title="old", text="other")
    assert first != kept(execute.REPORTS, title="new", text="other")
    assert kept("1", title="old") == kept("1", title="new")


def test_only_a_page_with_a_check_is_executed_anew_when_grading_changes(monkeypatch):
    monkeypatch.setattr(execute, "digest", lambda files: " ".join(file.stem for file in files))

    def files_of(code):
        cells = [nbformat.v4.new_code_cell(code)]
        return execute.package_of(nbformat.v4.new_notebook(cells=cells)).split()

    assert "grading" in files_of("answer = 1\n%check leaf")
    assert "grading" not in files_of("%%both\nanswer = 1")


def test_who_executes_pages_waits_for_another_who_does_and_says_for_whom(tmp_path):
    hold = """
import sys
from pathlib import Path
from bookkit import execute
with execute.alone(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""
    command = [sys.executable, "-c", hold, str(tmp_path / "cache")]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=pages.ROOT, stdin=pipe, stdout=pipe, text=True) as other:
        assert other.stdout.readline() == "held\n"
        said = []

        def report(line):
            said.append(line)
            other.stdin.close()  # which ends the other

        with execute.alone(tmp_path / "cache", report):
            assert other.wait() == 0
    assert said[0].startswith(f"waiting for process {other.pid} (")
