"""Do not run again what passed and depends on nothing that changed since.

A slow test is marked `kept`. It is not run again while all code, the locks and the version of
Python are the same; what else it reads stands in the mark, as a file or folder from the root:
`@pytest.mark.kept("book/cases")`. `make test ARGS=--again` runs all of them.
"""

import hashlib
import json
import platform
from functools import cache

import pytest

from bookkit import pages

FILE = pages.BUILD / "passed.json"
CODE = (
    "bookkit",
    "stacks",
    "tools",
    "trace_evidence",
    "tests/*.py",
    "requirements.txt",
    "conftest.py",
)
asked = pytest.StashKey[dict[str, str]]()  # what each marked test depends on
passed = pytest.StashKey[set[str]]()  # those that passed in this run


@cache
def digest(*patterns: str) -> str:
    """Return one hash of the names and contents of files; a folder stands for all in it."""
    found = hashlib.sha256(platform.python_version().encode())
    for pattern in patterns:
        paths = sorted(pages.ROOT.glob(pattern))
        if not paths:
            raise pytest.UsageError(f"mark kept: there is no {pattern}: mend the mark.")
        for file in [one for path in paths for one in (path, *sorted(path.rglob("*")))]:
            if file.is_file() and "__pycache__" not in file.parts:
                found.update(f"{file.relative_to(pages.ROOT)}\0".encode() + file.read_bytes())
    return found.hexdigest()[:16]


def needed(item) -> str | None:
    """Return the hash of all that a marked test depends on, or None if it is not marked."""
    marks = list(item.iter_markers("kept"))
    names = sorted({name for mark in marks for name in mark.args})
    return digest(*CODE, *names) if marks else None


def load() -> dict[str, str]:
    """Return the hash that each kept test passed with; a file cut short counts as none."""
    try:
        return json.loads(FILE.read_text())
    except (OSError, ValueError):
        return {}


def unchanged(config) -> set[str]:
    """Return the marked tests that passed with the same files."""
    known = load()
    return {node for node, found in config.stash[asked].items() if known.get(node) == found}


def pytest_addoption(parser):
    help = "also run tests that passed before and depend on nothing that changed"
    parser.getgroup("chapters").addoption("--again", action="store_true", help=help)


def pytest_configure(config):
    config.stash[asked], config.stash[passed] = {}, set()
    config.addinivalue_line("markers", "kept(*paths): passed once, not run until a path changes")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Leave out what passed with the same files."""
    config.stash[asked] = {item.nodeid: found for item in items if (found := needed(item))}
    same = set() if config.option.again else unchanged(config)
    out = [item for item in items if item.nodeid in same]
    if out:
        items[:] = [item for item in items if item.nodeid not in same]
        config.hook.pytest_deselected(items=out)


def pytest_runtest_makereport(item, call):
    """Remember what passed."""
    if call.when == "call" and call.excinfo is None:
        item.config.stash[passed].add(item.nodeid)


def pytest_sessionfinish(session):
    """Keep what passed, whole or not at all."""
    known = session.config.stash[asked]
    ran = {item.nodeid for item in session.items} & set(known)
    if not ran or session.config.option.collectonly:
        return
    new = {node: known[node] for node in ran & session.config.stash[passed]}
    kept = {node: found for node, found in load().items() if node not in ran} | new
    FILE.parent.mkdir(parents=True, exist_ok=True)
    part = FILE.with_suffix(".part")
    part.write_text(json.dumps(kept, indent=0, sort_keys=True))
    part.replace(FILE)


def pytest_report_collectionfinish(config):
    """Say what was left out."""
    same = 0 if config.option.again else len(unchanged(config))
    told = f"{same} slow tests passed before and nothing they need changed: --again runs them"
    return told if same else None
