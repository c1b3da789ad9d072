"""Build the book with the newest Sphinx, MyST-NB and sphinx-book-theme, without Jupyter Book.

Jupyter Book 1.x is in maintenance and holds Sphinx, MyST and the theme back. All that it does for
this book is to make a configuration of Sphinx's from `_config.yml`; `configuration` does so here.
What breaks is printed: warnings, pages that are missing, anchors that are gone.

    python -m tools.plain_sphinx                 the newest releases that run on this Python
    python -m tools.plain_sphinx --python 3.13   those that run on another one

The pages are not executed: their outputs come from the cache that `make book` fills. The exit
status is 1 where something breaks, and 2 where nothing could be built.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tomllib
from typing import Any

from tools import environments

ROOT = environments.ROOT
WORK = environments.CACHE / "plain-sphinx"
SITE, LOG = WORK / "html", WORK / "warnings.txt"
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
BESIDES = ("sphinx", "fonttools", "jupytext", "nbconvert")  # what `bookkit` imports
COMPARED = ("sphinx", "myst-parser", "myst-nb", "sphinx-book-theme", "pydata-sphinx-theme")


def wanted() -> list[str]:
    """Return the packages to install, without bounds: what a build needs, and no Jupyter Book."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    book = [re.split(r"[^\w-]", row)[0] for row in project["optional-dependencies"]["book"]]
    return sorted({*book, *EXTENSIONS.values(), *BESIDES} - {"jupyter-book"})


def configuration(config: dict[str, Any]) -> dict[str, Any]:
    """Return the configuration of Sphinx that Jupyter Book makes of `_config.yml`.

    Args:
        config: the content of that file.

    Raises:
        KeyError: it has a key that this does not know.
    """
    html, execute, sphinx = config["html"], config["execute"], config["sphinx"]
    own = dict(sphinx["config"])
    options = {
        "path_to_docs": "",
        "repository_url": config["repository"]["url"],
        "repository_branch": config["repository"]["branch"],
        "launch_buttons": config["launch_buttons"],
        "home_page_in_toc": html["home_page_in_navbar"],
        "use_repository_button": html["use_repository_button"],
        "use_issues_button": html["use_issues_button"],
        "search_bar_text": "Search this book...",
        **own.pop("html_theme_options"),
    }
    return {
        "extensions": [*EXTENSIONS, *sphinx["extra_extensions"]],
        "author": config["author"],
        "copyright": config["copyright"],
        "html_title": config["title"],
        "html_baseurl": html["baseurl"],
        "html_theme": "sphinx_book_theme",
        "html_theme_options": options,
        "html_sourcelink_suffix": "",
        "numfig": True,
        "exclude_patterns": config["exclude_patterns"],
        "external_toc_exclude_missing": config["only_build_toc_files"],
        "bibtex_bibfiles": config["bibtex_bibfiles"],
        "myst_url_schemes": ["mailto", "http", "https"],
        "nb_execution_mode": execute["execute_notebooks"],
        "nb_execution_timeout": execute["timeout"],
        "nb_execution_allow_errors": execute["allow_errors"],
        **config["parse"],
        **own,
    }


def install(python: str) -> dict[str, str]:
    """Make the environment with the newest releases, and return the versions in it."""
    cure = "It could not be installed: check the network, and what --python asks for."
    environments.create(WORK / "venv", python, "--upgrade", *wanted(), cure=cure)
    command = [environments.find_uv(), "pip", "freeze", "--python", PYTHON]
    return dict(re.findall(r"^([\w.-]+)==(\S+)$", environments.run(*command, cure=cure), re.M))


def build() -> int:
    """Build the site with this Python's Sphinx; the environment's own Python runs this."""
    import yaml
    from sphinx.application import Sphinx

    from bookkit.sphinx import cells

    # The cache is that of the locked stack, and a copy: no release here may throw it away.
    cells.refresh_cache = lambda app, config: None
    options = configuration(yaml.safe_load((ROOT / "_config.yml").read_text()))
    options["nb_execution_cache_path"] = str(WORK / "cache")
    options["nb_execution_raise_on_error"] = False  # one page that is executed stops not all
    with LOG.open("w") as log:
        app = Sphinx(
            ROOT, None, SITE, WORK / "doctrees", "html", options, None, log, freshenv=True
        )  # fmt: skip
        app.build(force_all=True)
    return 0


def broken() -> list[str]:
    """Return what is not as it should be in the site that was built."""
    log = re.sub(r"\x1b\[[\d;]*m", "", LOG.read_text()).replace(f"{ROOT}/", "")
    found = [line for line in log.splitlines() if re.search(r"WARNING|ERROR|CRITICAL", line)]
    ids: dict[str, set[str]] = {}
    for row in (ROOT / "tests" / "anchors.txt").read_text().split():
        place, _, anchor = row.partition("#")
        if place not in ids:
            file = SITE / place
            text = file.read_text() if file.exists() else ""
            ids[place] = set(re.findall(r'\bid="([^"]+)"', text))
            if not text:
                found.append(f"{place} is missing")
        if ids[place] and anchor not in ids[place]:
            found.append(f"{place} has no anchor #{anchor}")
    return found


def main() -> int:
    """Install, build and look; the status is 1 where something breaks."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--python", default=sys.executable, help="that of the environment")
    parser.add_argument("--build", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.build:
        return build()
    print("installing the newest Sphinx …", flush=True)
    shutil.rmtree(WORK, ignore_errors=True)
    try:
        versions = install(asked.python or sys.executable)
    except environments.SetupError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(", ".join(f"{name} {versions[name]}" for name in COMPARED))
    shutil.copytree(ROOT / "_build" / ".jupyter_cache", WORK / "cache")
    print("building the site …", flush=True)
    command = [str(PYTHON), "-m", "tools.plain_sphinx", "--build"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    found = broken() if LOG.exists() else []
    if done.returncode:
        found += done.stderr.strip().splitlines()[-8:]
    print("\n".join(found[:SHOWN]))
    print(
        f"{len(found)} things break; {LOG.relative_to(ROOT)} has all."
        if found
        else "Nothing breaks."
    )
    return int(bool(found))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("\nInterrupted: run make plain-sphinx again; it begins anew.")
