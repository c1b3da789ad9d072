"""`bookkit` plugs into a book of two pages that has nothing else of ours beside it."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from bookkit import pages
from tools import environments

pytestmark = pytest.mark.slow
BUILD = "from jupyter_book.cli.main import main; main(['build', '.', '-W'])"
CONFIG = """\
title: Two pages
author: somebody
only_build_toc_files: true
exclude_patterns: [".*/**"]
execute: {execute_notebooks: cache}
parse: {myst_enable_extensions: [colon_fence]}
sphinx:
  extra_extensions: [bookkit.sphinx.cells, bookkit.sphinx.predict]
"""
FRONT = """\
---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {display_name: Python 3, language: python, name: python3}
---

"""
PAGE = """\
# Division

```{code-cell} ipython3
---
name: by-zero
tags: [raises-exception]
expect: {raises: ZeroDivisionError, match: "division by zero"}
---
1 / 0
```

:::{predict} divided
:cell: halves
:keys: 2; 2.5
:right: B

What does Python print?

- Two.

  That is `5 // 2`.
- Two and a half.

  A slash divides, also integers.
:::

```{code-cell} ipython3
---
name: halves
---
print(5 / 2)
```
"""


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    """A folder with a book, and the Python of an environment into which wheels were installed."""
    folder = tmp_path_factory.mktemp("elsewhere")
    uv, wheels, home = environments.find_uv(), folder / "wheels", folder / "env"
    shutil.copytree(pages.ROOT / "bookkit", folder / "bookkit")  # where setuptools may write
    for project in (pages.ROOT, folder / "bookkit"):
        environments.run(
            *[uv, "build", "--quiet", "--wheel", "--no-build-isolation", "--offline"],
            *["--python", sys.executable, "--out-dir", wheels, project],
        )
    environments.create(home, sys.executable, "--no-deps", "--offline", *wheels.glob("*.whl"))
    # What they need is what the lock installed, and nothing of ours that is linked beside it.
    (packages,) = home.glob("lib/python*/site-packages")
    ours = re.compile(r"(examine_model|trace_evidence|bookkit|__editable__|_virtualenv|.*\.pth)")
    for one in Path(sysconfig.get_path("purelib")).iterdir():
        if not ours.match(one.name) and not (packages / one.name).exists():
            (packages / one.name).symlink_to(one)
    book = folder / "book"
    book.mkdir()
    (book / "_config.yml").write_text(CONFIG)
    (book / "_toc.yml").write_text("format: jb-book\nroot: index\nchapters: [{file: division}]\n")
    (book / "index.md").write_text("# A book of two pages\n")
    (book / "division.md").write_text(FRONT + PAGE)
    return book, home / "bin" / "python"


def run(elsewhere, *words):
    """Run Python in the book's folder."""
    book, python = elsewhere
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run([python, *words], cwd=book, env=env, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def test_its_cells_are_executed_and_held_to_what_they_declare(elsewhere):
    book, _ = elsewhere
    status, printed = run(elsewhere, "-m", "bookkit")
    assert (status, "1 of 1 pages are ready" in printed) == (0, True), printed
    status, printed = run(elsewhere, "-m", "pytest", "-q", "--update")
    assert (status, "4 passed" in printed) == (0, True), printed
    assert (
        "ZeroDivisionError: division by zero"
        in (book / "tests" / "outputs" / "division.txt").read_text()
    )


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            '"division by zero"',
            '"by a hair"',
            "happened: another message: ZeroDivisionError: division by zero",
        ),
        (":right: B", ":right: A", "prediction divided"),
        ("1 / 0\n", "print(1)\n1 / 0\n", "shows something else than tests/outputs/division.txt"),
    ],
)
def test_what_is_wrong_is_red(elsewhere, old, new, words):
    page = elsewhere[0] / "division.md"
    page.write_text((FRONT + PAGE).replace(old, new))
    status, printed = run(elsewhere, "-m", "pytest", "-q")
    page.write_text(FRONT + PAGE)
    assert status == 1 and words in printed, printed


def test_jupyter_book_builds_it_with_marks_and_the_question(elsewhere):
    status, printed = run(elsewhere, "-c", BUILD)
    assert status == 0, printed
    html = (elsewhere[0] / "_build" / "html" / "division.html").read_text()
    assert 'id="predict-divided"' in html
    assert "division by zero" in html and "mark-raises" in html
    assert Path(elsewhere[0], "_build", ".jupyter_cache").is_dir()
