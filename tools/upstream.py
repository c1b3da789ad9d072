"""Prove the patches in `evidence/upstream/` against the newest releases of the libraries.

Each defect has a folder: a report with a program that reproduces it, a patch, and a test for the
library's own suite. A copy of the released source is patched under `.cache/upstream/`, and run with
the newest releases of all that it needs; the book's environments stay as they are. What is found
goes into `evidence/upstream/record.json`, and only what changed since is run again.

Folders that are named are proven alone. With `--checkout DIR` all is measured again, with what is
in no release as well, and what became of each defect on the branch that is there.

The exit status is 1 where a row wants attention, and 2 where nothing could be run.
"""

import argparse
import datetime
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
import xml.etree.ElementTree as ElementTree
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.version import Version

from bookkit import entries, pages
from bookkit import upstream as page
from evidence import measure
from tools import environments
from tools.environments import SetupError

ROOT = environments.ROOT
FOLDER, RECORD = page.FOLDER, ROOT / page.RECORD
TABLES = pages.data("evidence/upstream/index.toml")
WORK = environments.CACHE / "upstream"
PYTHON = WORK / "env" / "bin" / "python"
FORMAT = 1  # raise it when what is measured changes, and every row is measured again
TOGETHER = "together"  # the row of all patches
SAMPLE = """
import os
import numpyro
assert numpyro.__file__.startswith(os.environ["UPSTREAM_TREE"]), numpyro.__file__
def pytest_collection_modifyitems(config, items):
    items.sort(key=lambda item: item.nodeid)
    kept = items[:: int(os.environ["UPSTREAM_EVERY"])]
    config.hook.pytest_deselected(items=items[len(kept):])
    items[:] = kept
"""


def together(rows: dict[str, dict]) -> tuple[dict, list[str]]:
    """Return the row of all patches for the release, and their folders in order."""
    cases = [slug for row in rows.values() for slug in row["cases"]]
    folders = [name for name, row in rows.items() if not row.get("checkout")]
    return {**TABLES["together"], "cases": cases}, folders


def install() -> dict[str, str]:
    """Make the environment with the newest releases; return those that the record names."""
    print("installing the newest releases …", flush=True)
    environments.create(WORK / "env", sys.executable, *TABLES["environment"]["packages"])
    installed = environments.versions(WORK / "env")
    named = ("numpyro", "jax", "jaxlib", "equinox", "funsor", "optax", "flax", "pytest")
    return {name: installed[name] for name in named}


def call(*command: Any, cwd: Path, env: dict | None = None) -> subprocess.CompletedProcess:
    """Run a command and return what it said, whatever its status."""
    words = [str(word) for word in command]
    return subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True)


def source(library: str, release: str) -> Path:
    """Return the released source of a library, fetched once, as its registry holds it."""
    home = WORK / "source"
    place = home / f"{library}-{release}"
    if not (place / "complete").exists():
        home.mkdir(parents=True, exist_ok=True)
        environments.run(
            *[PYTHON, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:"],
            *["--no-build-isolation", "-d", home, f"{library}=={release}"],
            cure=f"There is no source of {library} {release}: check the network.",
        )
        with tarfile.open(home / f"{library}-{release}.tar.gz") as archive:
            archive.extractall(home, filter="data")
        (place / "complete").touch()
    return place


def apply(patch: Path, tree: Path, *options: str) -> str:
    """Apply a patch with git; return what it said where it did not apply, or nothing."""
    alone = f"--git-dir={tree / 'no-repository'}"  # else git takes the book's checkout for the tree
    done = call("git", alone, "apply", *options, patch, cwd=tree)
    return done.stderr.strip() or "it does not apply" if done.returncode else ""


def tree(name: str, base: Path, patches: list[str]) -> Path:
    """Return a fresh copy of a source with patches applied; where one does not, `SetupError`."""
    place = WORK / "trees" / name
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(base, place)
    for folder in patches:
        said = apply(FOLDER / folder / "fix.patch", place)
        if said:
            raise SetupError(f"{folder}/fix.patch: {said.splitlines()[0]}")
    return place


def environment(place: Path, every: int = 1) -> dict[str, str]:
    """Return the variables with which a program sees one tree and nothing of this checkout."""
    kept = {key: os.environ[key] for key in ("PATH", "HOME", "TMPDIR") if key in os.environ}
    cache = {
        "JAX_COMPILATION_CACHE_DIR": str(WORK / "compiled"),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
    }
    flags = "--xla_force_host_platform_device_count=2 --xla_backend_optimization_level=0"
    fixed = {"JAX_PLATFORMS": "cpu", "PYTHONHASHSEED": "0", "XLA_FLAGS": flags}
    path = os.pathsep.join([str(place), str(WORK / "plugin")])
    ours = {"UPSTREAM_EVERY": str(every), "UPSTREAM_TREE": str(place), "NUMPYRO": str(place)}
    return {**kept, **cache, **fixed, **ours, "PYTHONPATH": path, "PYTHONSAFEPATH": "1"}


def reproduce(folder: str, place: Path) -> int:
    """Run the program of a report on a tree; return its exit status."""
    program = page.write_reproducer(folder)
    return call(PYTHON, program, cwd=WORK, env=environment(place)).returncode


def pytest(place: Path, *arguments: Any, home: Path, every: int = 1) -> dict[str, str]:
    """Run tests on a tree; return how each ended: passed, failed, or skipped."""
    report = WORK / "report.xml"
    report.unlink(missing_ok=True)
    (WORK / "plugin").mkdir(exist_ok=True)
    (WORK / "plugin" / "upstream_sample.py").write_text(SAMPLE)
    settings = WORK / "plugin" / "pytest.ini"  # none of the book's, and none of the library's
    settings.write_text("[pytest]\n")
    plugins = ["-p", "no:cacheprovider", "-p", "upstream_sample"]
    options = ["-c", settings, "--rootdir", home, "--confcutdir", home, "--junitxml", report]
    command = [PYTHON, "-m", "pytest", "-q", "-W", "ignore", *plugins, *options]
    done = call(*command, *arguments, cwd=WORK, env=environment(place, every))
    if not report.exists():
        said = (done.stdout + done.stderr).strip().splitlines()
        raise SetupError(f"pytest did not run: {said[-1] if said else 'it said nothing'}")
    ended = {}
    for case in ElementTree.parse(report).iter("testcase"):
        bad = [child.tag for child in case if child.tag in ("failure", "error", "skipped")]
        name = f"{case.get('classname')}::{case.get('name')}"
        ended[name] = {"skipped": "skipped"}.get(bad[0], "failed") if bad else "passed"
    return ended


def count(ended: dict[str, str]) -> dict[str, int]:
    """Return how many tests ended how."""
    return {kind: list(ended.values()).count(kind) for kind in ("passed", "failed", "skipped")}


@cache
def selected(place: Path, home: Path, file: str, match: str, every: int) -> dict[str, str]:
    """Run every n-th of a library's own tests on a tree; return how each ended."""
    matching = ["-k", match] if match else []
    return pytest(place, home / file, *matching, home=home, every=every)


def own_tests(row: dict, base: Path, place: Path, checkout: Path | None) -> list[dict]:
    """Run the library's own tests that touch the patched files, without the patch and with it.

    A file that no release carries is taken from the checkout.
    """
    found = []
    for wanted in row.get("own", []):
        homes = [one for one in (base, checkout) if one and (one / wanted["file"]).exists()]
        if not homes:
            continue
        asked = homes[0], wanted["file"], wanted.get("match", ""), wanted.get("every", 1)
        before, after = selected(base, *asked), selected(place, *asked)
        broken = [name for name, how in before.items() if how == "passed" != after.get(name)]
        found.append({**wanted, "without": count(before), "with": count(after), "broken": broken})
    return found


def state_of(row: dict) -> str:
    """Return what a measured row comes to: proven, fixed, or what is wrong."""
    if row["reproducer"]["without"] == 0:
        return "fixed"
    wrong = []
    if row["reproducer"] != {"without": 1, "with": 0}:
        wrong.append(f"the reproducer gave {row['reproducer']}")
    if not row["test"]["without"]["failed"]:
        wrong.append("the test passes without the patch")
    if row["test"]["with"]["failed"] or not row["test"]["with"]["passed"]:
        wrong.append(f"the test with the patch: {row['test']['with']}")
    wrong += [f"{name} fails with the patch" for part in row["own"] for name in part["broken"]]
    return "; ".join(wrong) or "proven"


def prove(name: str, folders: list[str], row: dict, base: Path, checkout: Path | None) -> dict:
    """Measure a folder, or all of them together: reproducers, tests, the library's own tests."""
    started = time.monotonic()
    try:
        place = tree(name, base, folders)
        tests = [test for folder in folders for test in sorted((FOLDER / folder).glob("test_*.py"))]
        measured: dict[str, Any] = {"reproducer": {}, "test": {}}
        for how, where in (("without", base), ("with", place)):
            measured["reproducer"][how] = max(reproduce(folder, where) for folder in folders)
            measured["test"][how] = count(pytest(where, *tests, home=FOLDER))
        measured["own"] = own_tests(row, base, place, checkout)
    except SetupError as error:
        return {"state": str(error)}
    if name == TOGETHER:
        measured["cases"] = judge_cases(row["cases"], place)
    return {"state": state_of(measured), **measured, "seconds": round(time.monotonic() - started)}


def is_older(checkout: Path) -> bool:
    """Tell whether a checkout is older than the release that the patches are for."""
    file = checkout / "numpyro" / "version.py"
    text = file.read_text() if file.exists() else ""
    named = re.search(r"__version__ = \"(.+)\"", text)
    return named is not None and Version(named[1]) < Version(metadata.version("numpyro"))


def judge(name: str, checkout: Path) -> dict[str, str]:
    """Return what became of a defect in a checkout: merged, fixed otherwise, or still needed."""
    patch, commit = FOLDER / name / "fix.patch", ("git", "log", "-1", "--format=%h of %cs")
    found = {"commit": call(*commit, cwd=checkout).stdout.strip()}
    if not apply(patch, checkout, "--check", "--reverse"):
        return {**found, "state": "merged"}
    if reproduce(name, checkout) == 0:
        return {**found, "state": "fixed otherwise"}
    if not apply(patch, checkout, "--check"):
        return {**found, "state": "still needed"}
    return {**found, "state": "older" if is_older(checkout) else "needs a new patch"}


def judge_cases(patched: list[str], place: Path) -> dict[str, dict]:
    """Run the programs of the book's cases on the patched libraries, as the matrix runs them."""
    asked = {
        slug: case
        for slug, case in entries.cases().items()
        if slug in patched or (case.kind == "silent" and case.whose == "library")
    }
    programs = {slug: entries.program(case) for slug, case in asked.items()}
    found = {}
    for slug, parts in measure.run_programs(PYTHON, programs, environment(place)).items():
        said = {key: text[:160] for key, text in parts["reproduce"].items() if key != "type"}
        found[slug] = {"kind": asked[slug].kind, "patched": slug in patched, **said}
    return found


def fingerprint(folders: list[str], row: dict, versions: dict[str, str]) -> str:
    """Return what a measurement depends on, as one hash."""
    texts = []
    for name in folders:
        (test,) = (FOLDER / name).glob("test_*.py")
        patch = FOLDER / name / "fix.patch"
        texts += [patch.read_text(), page.reproducer(name), test.read_text()]
    asked = {key: row.get(key) for key in ("own", "cases")}
    known = [FORMAT, asked, versions, "", texts]
    return hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()[:16]


def main() -> int:
    """Run the program; the status is 1 where a row wants attention."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", nargs="*", help="all of them, if none is named")
    parser.add_argument("--checkout", type=Path, help="a checkout of NumPyro")
    options = parser.parse_args()
    rows, checkout = page.defects(), options.checkout
    if unknown := set(options.folders) - set(rows):
        raise SetupError(f"no folder {', '.join(unknown)}: there are {', '.join(rows)}.")
    # Without its own history, git would name the commit of the folder around it.
    if checkout and not all((checkout / part).exists() for part in ("numpyro/version.py", ".git")):
        raise SetupError(f"{checkout} is no checkout of NumPyro: name its folder.")
    versions = install()
    release = source("numpyro", versions["numpyro"])
    print(f"NumPyro {versions['numpyro']}, JAX {versions['jax']}")
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {"rows": {}}
    bad = []
    for name in options.folders or [*rows, TOGETHER]:
        shelf = record if name == TOGETHER else record["rows"]
        row, folders = (rows[name], [name]) if name in rows else together(rows)
        base = checkout if row.get("checkout") else release
        key, found = fingerprint(folders, row, versions), shelf.get(name, {})
        if base and (found.get("of") != key or checkout):
            proof = prove(name, folders, row, base, checkout)
            main = {"main": judge(name, checkout)} if checkout and name in rows else {}
            found = {"of": key, "date": str(datetime.date.today()), **proof, **main}
            shelf[name], record["versions"] = found, versions
            measure.write_json(RECORD, record, sort_keys=True)
        if found:
            print(f"{name:30} {found['state']}", flush=True)
            bad += attention(name, found)
    print(f"\n{len(bad)} rows want attention." if bad else "\nAll patches are proven.")
    print("\n".join(bad))
    return int(bool(bad))


def attention(name: str, found: dict) -> list[str]:
    """Return what of a row a person should look at, in lines."""
    said = found["state"].replace("fixed", "fixed by the newest release: tell case and report")
    bad = [f"  {name}: {said}"] if said != "proven" else []
    for slug, case in found.get("cases", {}).items():
        if case["patched"] and case["verdict"] != "ok":
            bad.append(f"  {slug}: with all patches the book's case gives {case['verdict']}")
    return bad


if __name__ == "__main__":
    try:
        sys.exit(main())
    except SetupError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit("\nInterrupted: finished rows are kept; run it again to go on.")
