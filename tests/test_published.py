"""The published work: one version everywhere, what GitHub runs, and the notebooks for Colab."""

import json
import re
import sys
import tomllib

import pytest
import yaml

from bookkit import pages, taught
from bookkit.formats import notebooks
from trace_evidence import __version__

ROOT = pages.ROOT
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_one_version_date_and_author_everywhere():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    zenodo = json.loads((ROOT / ".zenodo.json").read_text())
    changes = (ROOT / "CHANGELOG.md").read_text()
    version, date = re.search(r"^## ([\d.]+) \(([\d-]+)\)$", changes, re.M).groups()
    release = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert {release, __version__, citation["version"], zenodo["version"]} == {version}
    assert citation["date-released"] == date
    assert [citation[key] for key in ("license", "title")] == [zenodo["license"], zenodo["title"]]
    named = [author["name"] for author in citation["authors"]]
    assert named == [creator["name"] for creator in zenodo["creators"]]


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.stem)
def test_no_job_that_runs_packages_has_a_token_that_writes(file):
    """That it is not kept either, zizmor sees in `make lint`."""
    workflow = yaml.safe_load(file.read_text())
    for name, job in workflow["jobs"].items():
        assert set(workflow.get("permissions", {}).values()) <= {"read"}, "only a job may write"
        rights = job.get("permissions", workflow.get("permissions"))
        assert isinstance(rights, dict), f"{name}: say what its token may do"
        steps = " ".join(step.get("run", "") for step in job.get("steps", []))
        if re.search(r"\bmake\b|\.ci/", steps):
            assert set(rights.values()) <= {"read"}, name
            assert "GH_TOKEN" not in json.dumps(job) + json.dumps(workflow.get("env", {}))


def test_every_weekly_job_runs_a_command_that_there_is_and_is_listed():
    weekly = [file for file in WORKFLOWS if "/run-and-report.yml" in file.read_text()]
    assert weekly
    listed = (ROOT / "MAINTAINING.md").read_text()
    for file in weekly:
        (job,) = yaml.safe_load(file.read_text())["jobs"].values()
        assert job["permissions"] == {"contents": "read", "issues": "write"}
        place = ROOT / job["with"]["module"].split()[0].replace(".", "/")
        assert place.with_suffix(".py").exists() or (place / "__main__.py").exists(), file
        assert f"| `{file.stem}` |" in listed


def test_nobody_gets_into_a_hub_for_which_no_password_was_chosen():
    """JupyterHub's shared password lets nobody in where it is empty; `dummy` lets in everybody."""
    settings = yaml.safe_load((ROOT / "binder" / "hub-values.yaml").read_text())["hub"]["config"]
    assert settings["JupyterHub"] == {"authenticator_class": "shared-password"}
    assert settings["SharedPasswordAuthenticator"] == {"user_password": ""}


@pytest.mark.parametrize("page", taught.foundations())
def test_a_foundations_notebook_begins_with_what_installs_its_imports(page):
    notebook = notebooks.colab(page)
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    assert code[0].startswith("%pip install")
    installed = code[0].replace("-", "_")
    for name in set(re.findall(r"^(?:import|from) (\w+)", "\n".join(code[1:]), re.M)):
        if name not in {*sys.stdlib_module_names, "numpy"}:
            assert re.search(rf"\b{name}\b", installed), f"{page} imports {name}"
    assert not [source for source in code if "%%then" in source or "%%both" in source]
    text = "\n".join(cell.source for cell in notebook.cells)
    assert ".ipynb)" not in text, "a link to a file that Colab has not"
    assert taught.colab_address(page).endswith(f"/blob/notebooks/{page.rpartition('/')[2]}.ipynb")
