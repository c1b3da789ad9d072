"""Incremental builds tell the truth: what was built is believed as far as it can be checked."""

import copy
import re
import subprocess
import sys
from types import SimpleNamespace

import nbformat
import pytest

from bookkit import build, execute, languages, pages, versions
from bookkit.sphinx import directives
from trace_evidence import checkout as package

ROOT = pages.ROOT
# Builds an edition, and notes it; while it does, there must be no record that one could believe.
SCRIPT = """\
#!/bin/sh
cd "{folder}" && echo "$3" >> calls && mkdir -p _build/html/en
test ! -e fail && test ! -e _build/site.txt
"""
INPUTS = [
    "requirements.txt",
    "evidence/stacks/then.txt",
    "trace_evidence/then.py",
    "bookkit/build.py",
    "book/_static/book.css",
]


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A small checkout, built by a stand-in for Python."""
    for name in (*INPUTS, "_config.yml", "_toc.yml", "book/one.md", "evidence/rows/case.jsonl"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("before\n")
    command = tmp_path / "bin" / "python"
    command.parent.mkdir()
    command.write_text(SCRIPT.format(folder=tmp_path))
    command.chmod(0o755)
    for name, value in {"ROOT": "", "BOOK": "book", "BUILD": "_build"}.items():
        monkeypatch.setattr(pages, name, tmp_path / value)
    monkeypatch.setattr(package, "ROOT", tmp_path)
    out = tmp_path / "_build"
    for name, value in {"SITE": "html", "RECORD": "site.txt"}.items():
        monkeypatch.setattr(build, name, out / value)
    monkeypatch.setenv(languages.VARIABLE, languages.ENGLISH)
    monkeypatch.setattr(build.sys, "executable", str(command))
    assert build.main() == 0
    return tmp_path


def built(checkout):
    """Bring the site up to date; return which editions were built, and whether from nothing."""
    mark = checkout / "_build" / "html" / "mark"
    mark.touch()
    (checkout / "calls").write_text("")
    assert build.main() == 0
    return sorted((checkout / "calls").read_text().split()), not mark.exists()


NOTHING, PAGE, EVERYTHING = ([], False), (["en"], False), (["en"], True)


@pytest.mark.parametrize(
    ("changed", "wanted"),
    [
        ("README.md", NOTHING),
        ("book/one.md", PAGE),
        ("evidence/rows/case.jsonl", PAGE),
        *((name, EVERYTHING) for name in INPUTS),
        ("_build/site.txt", EVERYTHING),
    ],
)
def test_a_page_builds_what_sphinx_finds_old_and_what_all_depend_on_everything(
    checkout, changed, wanted
):
    """Both locks, the package, the machinery, the style; and a record that is damaged is none."""
    (checkout / changed).write_text("after\n")
    assert built(checkout) == wanted


def test_what_contributing_names_is_there():
    table = (ROOT / "CONTRIBUTING.md").read_text().split("\n## ")[1]
    names = re.findall(r"`(\w+/[\w/.*]*)`", re.sub(r"NAME|LABEL", "*", table))
    assert len(names) > 20
    assert not [name for name in names if not list(ROOT.glob(name))]


def test_the_files_of_code_that_a_table_of_data_names_are_there():
    files = [
        file
        for folder in ("book", "evidence", "evidence/upstream")
        for file in ROOT.glob(f"{folder}/*.toml")
    ]
    for file in files:
        said = " ".join(line for line in file.read_text().splitlines() if line.startswith("# "))
        names = re.findall(
            r"(?<![\w/<>])((?:book|bookkit|evidence|tests|trace_evidence)/[\w/]+\.\w+)", said
        )
        assert not [name for name in names if not (ROOT / name).exists()], file.name


def test_a_page_that_was_executed_anew_is_built_again(checkout, monkeypatch):
    monkeypatch.setattr(execute, "BUILT", build.RECORD)
    doctree = checkout / "_build" / ".doctrees" / "book" / "one.doctree"
    doctree.parent.mkdir(parents=True, exist_ok=True)
    doctree.touch()
    execute.read_again(checkout / "book" / "one.md")
    assert not doctree.exists()
    assert (built(checkout), built(checkout)) == (PAGE, NOTHING)


def test_a_page_is_read_again_where_the_matrix_says_something_else_of_its_programs(monkeypatch):
    asked = {"one": ["int32-sum"], "two": ["leaf-order"], "all": ["int32-sum", "leaf-order"]}
    asked = {page: [*names, versions.STACKS] for page, names in asked.items()}
    metadata = {page: {directives.ASKED: names} for page, names in asked.items()} | {"none": {}}
    env = SimpleNamespace(metadata=metadata)

    def again(change):
        record = copy.deepcopy(versions.matrix())
        change(record, record["stacks"][-1]["verdicts"]["int32-sum"])
        monkeypatch.setattr(versions, "matrix", lambda: record)
        return directives.outdated(None, env)

    assert again(lambda record, parts: None) == ["one", "two", "all"], "nothing is known of before"
    assert again(lambda record, parts: None) == []
    assert again(lambda record, parts: parts.update(program="another")) == []
    assert again(lambda record, parts: parts.update(verdict="ok")) == ["one", "all"]
    assert again(lambda record, parts: record["stacks"].pop()) == ["one", "two", "all"]


def test_a_failed_build_is_one_line_with_the_log_and_is_not_believed(checkout, capsys):
    (checkout / "fail").touch()
    (checkout / "book" / "one.md").write_text("after\n")
    assert build.main() == 1
    assert "error: the site in en was not built" in capsys.readouterr().err
    (checkout / "fail").unlink()
    assert built(checkout) == EVERYTHING


# --- the cache of executed pages -------------------------------------------------------------


def test_a_page_is_executed_anew_when_what_it_shows_of_cases_or_of_checks_changes(
    monkeypatch, tmp_path
):
    """And no other page is."""
    monkeypatch.setattr(pages, "CASES", tmp_path)

    def kept(code, title="old", checks="old"):
        (tmp_path / "a-case.md").write_text(f"---\ntitle: {title}\n---\n# A case\n")
        monkeypatch.setattr(
            execute, "digest", lambda files: checks * ("exercises/__init__.py" in str([*files]))
        )
        cells = [nbformat.v4.new_code_cell(code)]
        return execute.package_of(nbformat.v4.new_notebook(cells=cells))

    assert kept(execute.REPORTS) == kept(execute.REPORTS) != kept(execute.REPORTS, title="new")
    check = "answer = 1\n%check leaf"
    assert kept(check) == kept(check, title="new") != kept(check, checks="new")
    assert kept("%%both\n1") == kept("%%both\n1", title="new", checks="new")


def test_what_a_page_names_counts_for_it_with_all_that_this_imports(monkeypatch):
    monkeypatch.setattr(execute, "digest", lambda files: " ".join(file.stem for file in files))

    def counted(code):
        cells = [nbformat.v4.new_code_cell(code)]
        return set(execute.package_of(nbformat.v4.new_notebook(cells=cells)).split())

    always = counted("def both(self, __init__): pass")
    assert {"__init__", "then", "both", "figures", "book"} <= always
    assert counted("%%both\n1") >= always | {"triage", "checkout"}, "both.py imports triage"
    assert counted("from trace_evidence.drawings import buckets") >= {"buckets", "steps"}
    assert counted("from trace_evidence.checks import check_key") - always >= {"keys", "lanes"}
    assert not always & {"triage", "checkout", "steps", "keys", "avoid", "narrowing"}


def test_a_page_that_cannot_be_executed_is_named_and_the_others_are_kept(monkeypatch, tmp_path):
    class Client:
        def __init__(self, notebook, **options):
            self.notebook = notebook

        def execute(self, **options):
            if "absent" in self.notebook.cells[-1].source:
                raise RuntimeError("Kernel didn't respond in 60 seconds")

    front = "---\nkernelspec:\n  name: python3\n  display_name: now\n---\n\n"
    for name in ("one", "absent", "two", "three"):
        text = f"{front}# T\n\n```{{code-cell}} ipython3\nname = {name!r}\n```\n"
        (tmp_path / f"{name}.md").write_text(text)
    monkeypatch.setattr(execute, "NotebookClient", Client)
    cache, said = execute.open_cache(tmp_path / "cache"), []
    done = dict(execute.execute_chapters(sorted(tmp_path.glob("*.md")), cache, said.append))
    stopped = {path.stem: one.reason for path, one in done.items() if one.stopped_at is not None}
    assert list(stopped) == ["absent"] and len(done) == 4
    assert "Kernel didn't respond in 60 seconds" in stopped["absent"]
    assert any(line.startswith("stopped absent") for line in said)
    assert len(cache.list_cache_records()) == 3


@pytest.mark.slow
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
