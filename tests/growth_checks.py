"""Adding a case touches one file: shown in a scratch copy. Run by `make check PART=growth`.

The copy takes the executed pages along, so only the new case is executed there.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bookkit import entries, execute, pages
from tools import environments
from trace_evidence import checkout

NAME = "grown-in-a-scratch-copy"
# Python imports a module of this name before anything else; this one writes down what is opened.
WATCHED = """
import os, sys
log = os.open(os.environ["OPENED"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
def write(event, words):
    if event == "open" and isinstance(words[0], str) and not words[2] & os.O_ACCMODE:
        os.write(log, f"{os.path.abspath(words[0])}\\n".encode())
sys.addaudithook(write)
"""
MADE = {"_build", ".venv", ".cache", "__pycache__", "data.json"}


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    """A copy of what git tracks or would track, with the executed pages of this checkout."""
    folder = tmp_path_factory.mktemp("scratch") / "Bücher der 书 x"  # any folder will do
    environments.copy_sources(folder)
    shutil.copytree(execute.CACHE, folder / execute.CACHE.relative_to(pages.ROOT))
    return folder


def run(scratch, *words, how="-m", **env):
    env = {**os.environ, "PYTHONPATH": str(scratch), "LANGUAGES": "en", **env}
    command = [sys.executable, how, *words]
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
    watched = scratch.with_name("watched")
    watched.mkdir()
    (watched / "sitecustomize.py").write_text(WATCHED)
    watching = {"PYTHONPATH": f"{watched}:{scratch}", "OPENED": str(watched / "opened.txt")}
    steps = [run(scratch, "bookkit"), run(scratch, "bookkit.build", **watching)]
    for step in steps:
        assert step.returncode == 0, step.stdout + step.stderr
    return scratch, steps


def test_only_the_new_case_is_executed_and_once(grown):
    lines = grown[1][0].stdout.splitlines()
    executed = {line for line in lines if line.startswith("executing")}
    # Some pages print what `examine` says of cases.
    names = ("examine-your-model", "how-it-was-judged", "eight-programs")
    reports = {f"executing {name} …" for name in names}
    assert executed - reports == {f"executing {NAME} …"}
    assert "executing" not in run(grown[0], "bookkit").stdout
    assert "up to date" in run(grown[0], "bookkit.build").stdout


def test_the_new_case_is_in_what_lists_cases_and_in_the_readers_package(grown):
    site = grown[0] / "_build" / "html" / "book"
    family = next(iter(entries.chapters()))
    assert (site / "cases" / f"{NAME}.html").exists()
    for page in (site / "cases" / "index.html", site / "failures" / f"{family}.html"):
        assert f"{NAME}.html" in page.read_text(), f"{page.name} does not list the new case"
    printed = run(grown[0], "trace_evidence", "explain", NAME)
    assert "You add one" in printed.stdout and "JAX counts on" in printed.stdout, printed.stderr


def test_the_command_of_jupyter_book_builds_the_same_page(grown, tmp_path):
    command = Path(sys.executable).with_name("jupyter-book")
    done = run(grown[0], "build", ".", "-Wnq", "--path-output", str(tmp_path), how=str(command))
    assert done.returncode == 0, done.stdout + done.stderr
    page = Path("html", "book", "cases", f"{NAME}.html")
    ours, theirs = (folder / "_build" / page for folder in (grown[0], tmp_path))
    cells = [file.read_text().count("cell_output") for file in (ours, theirs)]
    assert cells[0] == cells[1] > 0


def test_its_form_passes_and_the_suite_says_what_is_missing(grown):
    words = ["pytest", "-q", "tests/test_cases.py", "tests/test_structure.py", "-k", NAME]
    done = run(grown[0], *words)
    failed = [line for line in done.stdout.splitlines() if line.startswith("FAILED")]
    assert failed
    assert all("stack" in line or "measured" in line for line in failed), done.stdout
    assert f"run `make page P={NAME}`" in done.stdout


def test_the_matrix_finds_its_form_wrong_and_cured(grown):
    code = (
        "import sys; from evidence import kinds; "
        f"wanted = {{{NAME!r}: kinds.cases()[{NAME!r}]}}; "
        "print(dict(kinds.run_cases(sys.executable, wanted)))"
    )
    printed = run(grown[0], code, how="-c")
    assert "'verdict': 'wrong'" in printed.stdout, printed.stdout + printed.stderr
    assert "'cure': {'verdict': 'ok'}" in printed.stdout


def test_what_the_build_opens_is_known_so_that_a_change_of_it_builds_the_site_anew(grown):
    folder = grown[0].resolve()
    sources = {
        one.relative_to(pages.ROOT) for made in ("site", "page") for one in checkout.files(made)
    }
    opened = (folder.with_name("watched") / "opened.txt").read_text().splitlines()
    files = {Path(name) for name in opened if name.startswith(f"{folder}/")}
    read = {path.relative_to(folder) for path in files if path.is_file()}
    unknown = {path for path in read - sources if not MADE & set(path.parts)}
    assert unknown == {Path(f"book/cases/{NAME}.md")}, "see MADE_FROM in trace_evidence/checkout.py"
    assert Path("book/errors/jax-loops.md") in read


def test_a_changed_symptom_is_shown_by_the_page_that_lists_it(grown):
    case, index = (
        grown[0] / name for name in (f"book/cases/{NAME}.md", "_build/html/book/cases/index.html")
    )
    case.write_text(case.read_text().replace("You add one", "You add two"))
    done = run(grown[0], "bookkit.build")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "You add two" in index.read_text(), "see `outdated` in bookkit/sphinx/directives.py"
