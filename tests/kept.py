"""Do not run again what passed and depends on nothing that changed since.

A slow test is marked `kept`. It is not run again while all code, the locks and the version of
Python are the same; what else it reads stands in the mark, as a file or folder from the root:
`@pytest.mark.kept("book/cases")`. `make test ARGS=--again` runs all of them. A file all of whose
tests are left out is not even imported.
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
needs = pytest.StashKey[dict[str, list[str] | None]]()  # the files that each test's marks name
asked = pytest.StashKey[dict[str, str]]()  # the hash of what each marked test depends on
unread = pytest.StashKey[list[int]]()  # how many tests each file has that was not imported
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


def named(item) -> list[str] | None:
    """Return the files that a test's marks name, or None if it is not marked.

    Those of `examine` read nothing but its own folder.
    """
    if item.path.is_relative_to(pages.ROOT / "examine"):
        return ["examine"]
    marks = list(item.iter_markers("kept"))
    return sorted({name for mark in marks for name in mark.args}) if marks else None


def load() -> dict:
    """Return what passed: {test: its hash}, and {file: {tests, needs, hash}} for whole files.

    A file cut short counts as none.
    """
    try:
        return json.loads(FILE.read_text())
    except (OSError, ValueError):
        return {}


def unchanged(config) -> set[str]:
    """Return the marked tests that passed with the same files."""
    known = load()
    return {node for node, found in config.stash[asked].items() if known.get(node) == found}


def whole_files(config, known: dict) -> dict:
    """Return {file: {tests, needs, hash}} of the files all of whose tests passed with one mark."""
    if any("::" in word for word in config.args):
        return {}  # who asks for one test collects one
    files: dict[str, list[str]] = {}
    for node in config.stash[needs]:
        files.setdefault(node.partition("::")[0], []).append(node)
    found = {}
    for file, nodes in files.items():
        names = config.stash[needs][nodes[0]]
        alike = all(config.stash[needs][node] == names for node in nodes)
        if names is not None and alike and all(node in known for node in nodes):
            found[file] = {"tests": len(nodes), "needs": names, "hash": known[nodes[0]]}
    return found


def pytest_addoption(parser):
    help = "also run tests that passed before and depend on nothing that changed"
    parser.getgroup("chapters").addoption("--again", action="store_true", help=help)


def pytest_configure(config):
    config.stash[asked], config.stash[passed] = {}, set()
    config.stash[needs], config.stash[unread] = {}, []
    config.addinivalue_line("markers", "kept(*paths): passed once, not run until a path changes")


def pytest_ignore_collect(collection_path, config):
    """Do not import a file all of whose tests are left out."""
    if config.option.again or collection_path.suffix != ".py":
        return None
    row = load().get(collection_path.relative_to(config.rootpath).as_posix())
    try:
        same = row and digest(*CODE, *row["needs"]) == row["hash"]
    except pytest.UsageError:
        return None  # its mark says what is not there
    if same:
        config.stash[unread].append(row["tests"])
    return same or None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Leave out what passed with the same files."""
    config.stash[needs] = {item.nodeid: named(item) for item in items}
    marked = {node: names for node, names in config.stash[needs].items() if names is not None}
    config.stash[asked] = {node: digest(*CODE, *names) for node, names in marked.items()}
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
    files = {node.partition("::")[0] for node in ran}
    kept = {node: found for node, found in load().items() if node not in ran | files} | new
    kept |= whole_files(session.config, kept)
    FILE.parent.mkdir(parents=True, exist_ok=True)
    part = FILE.with_suffix(".part")
    part.write_text(json.dumps(kept, indent=0, sort_keys=True))
    part.replace(FILE)


def pytest_report_collectionfinish(config):
    """Say what was left out."""
    same = 0 if config.option.again else len(unchanged(config)) + sum(config.stash[unread])
    told = f"{same} slow tests passed before and nothing they need changed: --again runs them"
    return told if same else None
