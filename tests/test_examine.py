"""What the book holds of `examine`, a package of its own: its record, its pages, its cures."""

import contextlib
import itertools
import os
import re
import subprocess
import sys
import zipfile

import pytest
from examine_model import known
from examine_model.report import IDS, Finding, Report
from flit_core import buildapi

from bookkit import entries, examined, pages
from trace_evidence import triage


def test_nine_in_ten_silent_cases_are_found_of_those_that_have_a_model():
    """The page lists the others; a new case needs no model."""
    checks, without = examined.found_by(), pages.data(examined.ABOUT)["not_applicable"]
    silent = {slug for slug, case in entries.cases().items() if case.kind == "silent"}
    assert {*checks, *without} <= silent and not checks.keys() & without.keys()
    findings = [slug for slug, row in checks.items() if row["findings"] or row["hints"]]
    assert len(findings) >= 0.9 * len(checks) > 30


@pytest.mark.parametrize("case", [case for case in entries.cases().values() if case.examine])
def test_a_page_names_the_check_that_the_record_has(case):
    row = examined.found_by().get(case.name)
    if row is not None:
        assert case.examine in (*row["findings"], *row["hints"])
    text = pages.path_of(case.page).read_text()
    assert f"check `{case.examine}`" in " ".join(text.split())


@pytest.mark.slow
@pytest.mark.parametrize(("environment", "found"), [(".venv-then", True), (".venv", False)])
def test_what_chapters_two_to_four_begin_with_is_found_on_the_old_stack_only(environment, found):
    names = [row["model"] for row in examined.models("chapters")]
    command = [pages.ROOT / environment / "bin" / "python", "-m", "trials.count", "--compare"]
    folder = pages.ROOT / "examine"
    done = subprocess.run([*command, *names], cwd=folder, capture_output=True, text=True)
    hinted = [f"{name}: hinted by examine now, found, named before" for name in names]
    assert done.stdout.splitlines() == (["as recorded"] if found else hinted), done.stderr


@pytest.mark.slow
def test_what_a_report_names_is_on_the_pages_and_the_cases_title_and_cure_are_in_it():
    from examine_model.checks import keys

    explained = triage.data()["explain"]
    assert {*keys.SEEDED} <= set(explained)
    case = explained["leaf-order"]
    report = str(
        Report("tank", findings=[Finding("scan", "stacked-density", "odd", "y", ("leaf-order",))])
    )
    for part in (case["title"], triage.address(case["page"]), case["cure"]):
        assert " ".join(part.split()) in " ".join(report.split())
    page = known.FINDINGS.partition("/trace-evidence/")[2].removesuffix(".html")
    headings = re.findall(r"^### `(.+)`$", pages.path_of(page).read_text(), re.M)
    assert sorted(headings) == sorted(itertools.chain(*IDS.values()))


def test_the_book_shows_each_case_and_counts_the_rows():
    cases = examined.cases_table()
    for slug in [*examined.found_by(), *pages.data(examined.ABOUT)["not_applicable"]]:
        assert f"/book/cases/{slug}.md" in cases
    assert examined.counts("second", "before")["found"] < examined.counts("second")["found"]
    assert examined.counts("second")["alarmed"] == 0 and examined.counts("second")["whole"] > 30
    for of in ("first", "second", "third", "pairs", "chapters"):
        assert " | ".join(map(str, examined.counts(of).values())) in examined.sixties_table()


def test_each_alarm_on_other_peoples_models_is_explained_and_linked():
    about = pages.data(examined.ABOUT)
    alarms = [(row["of"], row["file"], row["model"]) for row in examined.models(*about["projects"])
              if row.get("findings")]  # fmt: skip
    explained = [(row["project"], row["file"], row["model"]) for row in about["alarms"]]
    assert sorted(alarms) == sorted(explained)
    assert all(row["why"].endswith(".") for row in about["alarms"])
    named = {"first", "second", "third", "pairs", "chapters", *about["projects"]}
    assert {row["of"] for row in pages.data(examined.ROWS)} == named


@pytest.mark.slow
def test_the_wheel_of_examine_holds_its_package_alone_and_asks_for_numpyro(tmp_path):
    with contextlib.chdir(pages.ROOT / "examine"):
        wheel = zipfile.ZipFile(tmp_path / buildapi.build_wheel(str(tmp_path)))
    names = wheel.namelist()
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"examine_model"}
    (metadata,) = (wheel.read(name).decode() for name in names if name.endswith("/METADATA"))
    assert re.findall(r"^Requires-Dist: (.+)$", metadata, re.M) == ["numpyro"]


def run(*words, **environment):
    return subprocess.run(
        [sys.executable, *words],
        cwd=pages.ROOT, env={**os.environ, **environment}, capture_output=True, text=True,
    )  # fmt: skip


@pytest.mark.slow
def test_the_command_of_the_book_hands_examine_on():
    done = run("-m", "trace_evidence", "examine", "--checks", "kees", "json:loads", "1")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: unknown check 'kees'")


@pytest.mark.slow
@pytest.mark.parametrize("missing", ["examine_model", "numpyro"])
def test_what_is_not_installed_is_told_in_one_line_and_triage_needs_none_of_it(missing):
    code = (
        f"import sys; sys.modules.update({{'jax': None, '{missing}': None}})\n"
        "import trace_evidence.__main__ as m\n"
        "sys.exit(m.main(['examine', 'json:loads']))"
    )
    done = run("-c", code)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ") and done.stderr.count("\n") == 1
    assert "install" in done.stderr
