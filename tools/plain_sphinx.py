"""Build the book with the newest Sphinx, MyST-NB and sphinx-book-theme, without Jupyter Book.

Jupyter Book 1.x is in maintenance and holds Sphinx, MyST and the theme back. All that it does for
this book is to make a configuration of Sphinx's from `_config.yml`; the same one is given to the
newest releases here. What breaks is printed: warnings, pages that are missing, anchors that are
gone. The pages are not executed: their outputs come from the cache that `make book` fills.

Usage: python -m tools.plain_sphinx [PYTHON]     a path or a release, as 3.13; else this one

The exit status is 1 where something breaks, and 2 where nothing could be built.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib

from tools import environments

ROOT = environments.ROOT
WORK = environments.CACHE / "plain-sphinx"
SITE, LOG, OPTIONS = WORK / "html", WORK / "warnings.txt", WORK / "options.json"
PYTHON = WORK / "venv" / "bin" / "python"
SHOWN = 40
# What Jupyter Book loads for this book, and the packages that hold it.
EXTENSIONS = {
    "myst_nb": "myst-nb",
    "sphinx_book_theme": "sphinx-book-theme",
    "sphinx_copybutton": "sphinx-copybutton",
    "sphinx_design": "sphinx-design",
    "sphinx_external_toc": "sphinx-external-toc",
    "sphinx_multitoc_numbering": "sphinx-multitoc-numbering",
    "sphinx_togglebutton": "sphinx-togglebutton",
    "sphinxcontrib.bibtex": "sphinxcontrib-bibtex",
}
OF_JUPYTER_BOOK = ("sphinx_comments", "sphinx_thebe", "sphinx_jupyterbook_latex", "jupyter_book")
BESIDES = ("sphinx", "fonttools", "jupytext", "nbconvert")  # what `bookkit` imports
COMPARED = ("sphinx", "myst-parser", "myst-nb", "sphinx-book-theme", "pydata-sphinx-theme")
# Run by the environment's own Python. The cache is a copy, but no release here may throw it away.
BUILD = f"""
import json
from sphinx.application import Sphinx
from bookkit.sphinx import cells

cells.refresh_cache = lambda app, config: None
options = json.load(open({str(OPTIONS)!r}))
with open({str(LOG)!r}, "w") as log:
    Sphinx({str(ROOT)!r}, None, {str(SITE)!r}, {str(WORK / "doctrees")!r}, "html", options,
           None, log, freshenv=True).build(force_all=True)
"""


def wanted() -> list[str]:
    """Return the packages to install, without bounds: what a build needs, and no Jupyter Book."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    book = [re.split(r"[^\w-]", row)[0] for row in project["optional-dependencies"]["book"]]
    return sorted({*book, *EXTENSIONS.values(), *BESIDES} - {"jupyter-book"})


def install(python: str) -> dict[str, str]:
    """Make the environment with the newest releases, and return the versions in it."""
    cure = "It could not be installed: check the network, and which Python was asked for."
    environments.create(WORK / "venv", python, "--upgrade", *wanted(), cure=cure)
    command = [environments.find_uv(), "pip", "freeze", "--python", PYTHON]
    return dict(re.findall(r"^([\w.-]+)==(\S+)$", environments.run(*command, cure=cure), re.M))


def write_options() -> None:
    """Write the configuration that Jupyter Book makes, without its own extensions."""
    from bookkit.localized import configuration

    options = configuration()
    options["extensions"] = [e for e in options["extensions"] if e not in OF_JUPYTER_BOOK]
    options["nb_execution_cache_path"] = str(WORK / "cache")
    options["nb_execution_raise_on_error"] = False  # one page that is executed stops not all
    OPTIONS.write_text(json.dumps(options))


def broken() -> list[str]:
    """Return what is not as it should be in the site that was built."""
    log = re.sub(r"\x1b\[[\d;]*m", "", LOG.read_text()).replace(f"{ROOT}/", "")
    found = [line for line in log.splitlines() if re.search(r"WARNING|ERROR|CRITICAL", line)]
    wanted: dict[str, set[str]] = {}
    for row in (ROOT / "tests" / "anchors.txt").read_text().split():
        place, _, anchor = row.partition("#")
        wanted.setdefault(place, set()).add(anchor)
    for place, anchors in wanted.items():
        if not (SITE / place).exists():
            found.append(f"{place} is missing")
            continue
        gone = anchors - set(re.findall(r'\bid="([^"]+)"', (SITE / place).read_text()))
        found += [f"{place} has no anchor #{anchor}" for anchor in sorted(gone)]
    return found


def main() -> int:
    """Install, build and look; the status is 1 where something breaks."""
    print("installing the newest Sphinx …", flush=True)
    shutil.rmtree(WORK, ignore_errors=True)
    try:
        versions = install((sys.argv[1:] or [sys.executable])[0])
    except environments.SetupError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(", ".join(f"{name} {versions[name]}" for name in COMPARED))
    shutil.copytree(ROOT / "_build" / ".jupyter_cache", WORK / "cache")
    write_options()
    print("building the site …", flush=True)
    done = subprocess.run([str(PYTHON), "-c", BUILD], cwd=ROOT, capture_output=True, text=True)
    found = broken() if LOG.exists() else []
    if done.returncode:
        found += done.stderr.strip().splitlines()[-8:]
    print("\n".join(found[:SHOWN]))
    where = f"{len(found)} things break; {LOG.relative_to(ROOT)} has all."
    print(where if found else "Nothing breaks.")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
