"""Leave out what passed while all that it depends on was as it is now.

A run of the whole suite that passed is not repeated until any file of the checkout changes. When
one does, the slow tests are left out that do not read it. Such a test is marked
`@pytest.mark.kept("book/cases")`. It depends on all code, on the locks and on Python, and on the
files and folders that the mark names, from the root. Without `_build/passed.json` all run.
"""

import hashlib
import json
import platform
import subprocess
from functools import cache

import pytest

from bookkit import pages

FILE = pages.BUILD / "passed.json"
CODE = (
    *("bookkit/**/*.py", "stacks/**/*.py", "tools/**/*.py", "trace_evidence/**/*.py"),
    *("tests/*.py", "requirements.txt", "stacks/then.txt", "conftest.py"),
)
ALL = "all of them"
asked = pytest.StashKey[dict[str, str]]()  # the hash of what each marked test depends on
ran = pytest.StashKey[dict[str, str]]()  # the hash of those that passed now, nothing for others


@cache
def digest(*patterns: str) -> str:
    """Return one hash of the names and contents of files."""
    found = hashlib.sha256(platform.python_version().encode())
    for pattern in patterns:
        paths = sorted(pages.ROOT.glob(pattern))
        if not paths:
            raise pytest.UsageError(f"mark kept: there is no {pattern}: mend the mark.")
        for file in [one for path in paths for one in (path, *sorted(path.rglob("*")))]:
            if file.is_file():
                found.update(f"{file.relative_to(pages.ROOT)}\0".encode() + file.read_bytes())
    return found.hexdigest()[:16]


def whole() -> str:
    """Return one hash of all files that git knows or would, and none where there is no git."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, cwd=pages.ROOT, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    found = hashlib.sha256(platform.python_version().encode())
    for name in sorted(listed.stdout.decode().split("\0")):
        file = pages.ROOT / name
        found.update(name.encode() + (file.read_bytes() if file.is_file() else b""))
    return found.hexdigest()[:16]


def load() -> dict[str, str]:
    """Return {test: hash} of what passed; a file cut short counts as none."""
    try:
        return json.loads(FILE.read_text())
    except (OSError, ValueError):
        return {}


def pytest_configure(config):
    config.stash[asked], config.stash[ran] = {}, {}
    config.addinivalue_line("markers", "kept(*paths): passed once, not run until a path changes")
    if is_whole(config) and load().get(ALL, "") == (whole() or None):
        pytest.exit("all tests passed, and no file changed: without _build/passed.json they run", 0)


def is_whole(config) -> bool:
    """Return whether the run is of the whole suite, as `make test` begins it."""
    return not config.invocation_params.args


def pytest_collection_modifyitems(config, items):
    """Leave out what passed with the same files."""
    for item in items:
        marks = list(item.iter_markers("kept"))
        if marks:
            names = [name for mark in marks for name in mark.args]
            config.stash[asked][item.nodeid] = digest(*CODE) + digest(*names)
    known, now = load(), config.stash[asked]
    out = [item for item in items if known.get(item.nodeid, "") == now.get(item.nodeid)]
    items[:] = [item for item in items if item not in set(out)]
    config.hook.pytest_deselected(items=out)


def pytest_runtest_makereport(item, call):
    """Remember what passed, and what did not."""
    wanted = item.config.stash[asked].get(item.nodeid)
    if wanted and call.when == "call":
        item.config.stash[ran][item.nodeid] = "" if call.excinfo else wanted


def pytest_sessionfinish(session):
    """Keep what passed, whole or not at all."""
    passed = session.config.stash[ran]
    if is_whole(session.config):
        passed[ALL] = whole() if session.exitstatus == 0 else ""
    if passed:
        FILE.parent.mkdir(parents=True, exist_ok=True)
        part = FILE.with_suffix(".part")
        part.write_text(json.dumps(load() | passed, indent=0, sort_keys=True))
        part.replace(FILE)
