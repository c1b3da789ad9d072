"""Leave out what passed while all that it depends on was as it is now.

A run of the whole suite that passed is not repeated until any file of the checkout changes. When
one does, the slow tests are left out that do not read it. Such a test is marked
`@pytest.mark.kept("book/cases")`. It depends on all code, on the locks and on Python, and on the
files and folders that the mark names, from the root. Without `_build/passed.json` all run.
"""

import json
import subprocess
from functools import cache

import pytest

from bookkit import execute, pages

FILE = pages.BUILD / "passed.json"
CODE = (
    *("bookkit/**/*.py", "stacks/**/*.py", "tools/**/*.py", "trace_evidence/**/*.py"),
    *("tests/*.py", "requirements.txt", "stacks/then.txt", "conftest.py"),
)
ALL = "all of them"
passed = pytest.StashKey[dict[str, str]]()  # the hash of what passed now, nothing for what failed


@cache
def digest(*patterns: str) -> str:
    """Return one hash of the code, and of the files and folders that patterns name."""
    found = set()
    for pattern in (*CODE, *patterns):
        paths = list(pages.ROOT.glob(pattern))
        if not paths:
            raise pytest.UsageError(f"mark kept: there is no {pattern}: mend the mark.")
        found.update(file for path in paths for file in (path, *path.rglob("*")))
    return execute.digest(sorted(one for one in found if one.is_file() and one.suffix != ".pyc"))


def whole() -> str:
    """Return one hash of all files that git knows or would, and none where there is no git."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, cwd=pages.ROOT, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    files = {pages.ROOT / name for name in listed.stdout.decode().split("\0")}
    return execute.digest(sorted(file for file in files if file.is_file()))


def load() -> dict[str, str]:
    """Return {test: hash} of what passed; a file cut short counts as none."""
    try:
        return json.loads(FILE.read_text())
    except (OSError, ValueError):
        return {}


def pytest_configure(config):
    config.stash[passed] = {}
    config.addinivalue_line("markers", "kept(*paths): passed once, not run until a path changes")
    # A run without arguments is of the whole suite, as `make test` begins it.
    if not config.invocation_params.args and load().get(ALL, "") == (whole() or None):
        pytest.exit("all tests passed, and no file changed: without _build/passed.json they run", 0)


def depends_on(item) -> str:
    """Return the hash of what a test depends on, and nothing for one without a mark."""
    marks = list(item.iter_markers("kept"))
    return digest(*(name for mark in marks for name in mark.args)) if marks else ""


def pytest_collection_modifyitems(config, items):
    """Leave out what passed with the same files."""
    known = load()
    out = {item for item in items if known.get(item.nodeid, "") == (depends_on(item) or None)}
    items[:] = [item for item in items if item not in out]
    config.hook.pytest_deselected(items=out)


def pytest_runtest_makereport(item, call):
    """Remember what passed, and what did not."""
    if call.when == "call" and depends_on(item):
        item.config.stash[passed][item.nodeid] = "" if call.excinfo else depends_on(item)


def pytest_sessionfinish(session):
    """Keep what passed, whole or not at all."""
    found = session.config.stash[passed]
    if not session.config.invocation_params.args:
        found[ALL] = whole() if session.exitstatus == 0 else ""
    if found:
        FILE.parent.mkdir(parents=True, exist_ok=True)
        part = FILE.with_suffix(".part")
        part.write_text(json.dumps(load() | found, indent=0, sort_keys=True))
        part.replace(FILE)
