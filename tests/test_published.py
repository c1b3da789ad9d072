"""The published work: how it is cited, licensed, released, described to GitHub, and watched."""

import json
import re
import sys
import tomllib

import pytest
import yaml

from bookkit import pages
from bookkit.editions import colab
from bookkit.sphinx import labels
from tests.test_environments import WORKFLOWS
from tools import plain_sphinx

ROOT = pages.ROOT
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
LATER = {"mutate", "upstream"}  # `watch.yml` says so where a command is not there yet
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text())
ZENODO = json.loads((ROOT / ".zenodo.json").read_text())
CHANGELOG = (ROOT / "CHANGELOG.md").read_text()


# --- version, licence, citation ---------------------------------------------------------------


def test_one_version_and_one_date_everywhere():
    from trace_evidence import __version__

    version, date = re.search(r"^## ([\d.]+) \(([\d-]+)\)$", CHANGELOG, re.M).groups()
    assert {labels.release(), __version__, CITATION["version"], ZENODO["version"]} == {version}
    assert CITATION["date-released"] == date


def test_citation_and_zenodo_say_the_same_and_name_one_licence():
    """Zenodo takes no list of licences, and of two files it reads `.zenodo.json` alone."""
    assert CITATION["license"] == ZENODO["license"] == "Apache-2.0"
    assert CITATION["title"] == ZENODO["title"]
    assert CITATION["keywords"] == ZENODO["keywords"]
    named = [author["name"] for author in CITATION["authors"]]
    assert named == [creator["name"] for creator in ZENODO["creators"]]
    assert CITATION["url"] == pages.config()["html"]["baseurl"]


def test_the_licences_are_there_in_full_and_cover_every_file():
    reuse = tomllib.loads((ROOT / "REUSE.toml").read_text())
    used = {row["SPDX-License-Identifier"] for row in reuse["annotations"]}
    names = {name for expression in used for name in expression.split(" AND ")}
    assert {file.stem for file in (ROOT / "LICENSES").iterdir()} == names
    assert reuse["annotations"][0]["path"] == "**"
    apache = (ROOT / "LICENSES" / "Apache-2.0.txt").read_text()
    assert (ROOT / "LICENSE").read_text() == apache
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert set(project["license"].split(" AND ")) == names


# --- the paper --------------------------------------------------------------------------------


# --- GitHub -----------------------------------------------------------------------------------


def test_an_error_that_was_not_recognised_is_asked_for_as_a_report_is_written():
    """The form's fields are the keys of `tests/reports`, and its choices the chapters."""
    from bookkit import catalogue

    form = yaml.safe_load((ROOT / ".github" / "ISSUE_TEMPLATE" / "not-recognised.yml").read_text())
    fields = {row["id"]: row["attributes"] for row in form["body"] if "id" in row}
    assert {"url", "lines", "failure", "how"} <= set(fields)
    assert fields["failure"]["options"][1:-1] == list(catalogue.load())


def test_every_weekly_job_runs_a_command_and_can_write_nothing_but_its_issue():
    weekly = [file for file in WORKFLOWS if "schedule" in file.read_text()]
    assert len(weekly) >= 5
    times = []
    for file in weekly:
        workflow = yaml.safe_load(file.read_text())
        (job,) = workflow["jobs"].values()
        assert job["uses"] == "./.github/workflows/watch.yml"
        assert job["permissions"] == {"contents": "read", "issues": "write"}
        assert job["with"]["target"] in TARGETS | LATER
        times.append(workflow[True]["schedule"][0]["cron"])
    assert len(set(times)) == len(times), "two weekly jobs begin at the same minute"
    listed = (ROOT / "MAINTAINING.md").read_text()
    assert all(f"| `{file.stem}` |" in listed for file in weekly)


def test_what_a_weekly_job_found_is_told_from_a_command_that_could_not_run():
    run = yaml.safe_load((ROOT / ".github" / "workflows" / "watch.yml").read_text())["jobs"]["run"]
    (script,) = (step["run"] for step in run["steps"] if step.get("id") == "run")
    assert r"$TARGET\] Error 1$" in script
    assert "cache/save" not in str(run) and "actions/cache@" not in str(run)


def test_the_parts_that_github_runs_are_all_there_are():
    script = (ROOT / ".ci" / "run").read_text()
    known = set(re.findall(r"^    (\w+)\)", script, re.M))
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "book.yml").read_text())["jobs"]
    parts = set(jobs["check"]["strategy"]["matrix"]["part"]) | {"lint", "pages"}
    assert parts | {"suite"} == known  # `again` is the suite, with pages that are executed already
    named = " ".join(re.findall(r"^(?:both|part) ([^#\n]+)", script, re.M))
    assert sorted(re.findall(r"\w+", named)) == sorted(known)
    assert jobs["publish"]["concurrency"]["cancel-in-progress"] is False


def test_a_codespace_ends_with_a_look_at_both_kernels():
    container = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text())
    assert container["image"].partition(":")[2].startswith("3.11")
    script = (ROOT / ".devcontainer" / "create.sh").read_text()
    assert container["onCreateCommand"] == "bash .devcontainer/create.sh"
    assert script.split().index("environments") < script.split().index("doctor")
    assert "set -euo pipefail" in script  # the doctor ends with 1 where a kernel does not answer


# --- Colab ------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", colab.foundations())
def test_a_foundations_notebook_begins_with_what_installs_its_imports(page):
    notebook = colab.notebook(page)
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    assert code[0].startswith("%pip install")
    installed = code[0].replace("-", "_")
    for name in set(re.findall(r"^(?:import|from) (\w+)", "\n".join(code[1:]), re.M)):
        if name not in {*sys.stdlib_module_names, "numpy"}:
            assert re.search(rf"\b{name}\b", installed), f"{page} imports {name}"
    assert not [source for source in code if "%%then" in source or "%%both" in source]
    text = "\n".join(cell.source for cell in notebook.cells)
    assert ".ipynb)" not in text, "a link to a file that Colab has not"
    assert colab.address(page).endswith(f"/blob/notebooks/{page.rpartition('/')[2]}.ipynb")


# --- plain Sphinx -----------------------------------------------------------------------------


def test_plain_sphinx_is_given_what_jupyter_book_makes_of_the_configuration():
    from jupyter_book.config import get_final_config

    theirs, _ = get_final_config(
        user_yaml=pages.CONFIG, sourcedir=ROOT, cli_config={"latex_individualpages": False}
    )
    ours = plain_sphinx.configuration(pages.config())
    left_out = {"sphinx_thebe", "sphinx_comments", "sphinx.ext.intersphinx", "jupyter_book"}
    left_out.add("sphinx_jupyterbook_latex")
    assert set(ours.pop("extensions")) == set(theirs.pop("extensions")) - left_out
    own, other = ours.pop("html_theme_options"), theirs.pop("html_theme_options")
    assert {key: other[key] for key in own if key != "launch_buttons"} == {
        key: value for key, value in own.items() if key != "launch_buttons"
    }
    assert set(ours.pop("exclude_patterns")) <= set(theirs.pop("exclude_patterns"))
    assert {key: theirs[key] for key in ours} == ours
    assert "jupyter-book" not in plain_sphinx.wanted()


def test_every_printed_expectation_reads_the_same_in_every_myst():
    """MyST 5 drops the last newline of a cell's metadata, so an executed page would be missed."""
    for path in pages.find_notebooks():
        assert not re.search(r"^ +\w+: [|>]\+?$", path.read_text(), re.M), (
            f"{path.name}: end a block of text in a cell's metadata with `|-` or `>-`"
        )
