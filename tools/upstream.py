"""Prove the patches in `upstream/` against the newest releases of the libraries.

Each defect has a folder: a reproducer, a patch, a test for the library's own suite. A copy of the
released source is patched under `.cache/upstream/`, and run with the newest releases of all that it
needs; the book's environments stay as they are. What is found goes into `upstream/record.json`, and
only what changed since is run again.

    python -m tools.upstream                 every folder, all patches together, the book's cases
    python -m tools.upstream leaf-order      one folder
    python -m tools.upstream --checkout DIR  again, with what is in no release as well, and what
                                             became of each defect on the branch that is there

The exit status is 1 where a row wants attention, and 2 where nothing could be run.
"""

from __future__ import annotations

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
import tomllib
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

from tools import environments

ROOT = environments.ROOT
FOLDER = ROOT / "upstream"
RECORD = FOLDER / "record.json"
WORK = environments.CACHE / "upstream"
PYTHON = WORK / "env" / "bin" / "python"
FORMAT = 1  # raise it when what is measured changes, and every row is measured again
TOGETHER = "all patches together"
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


class UpstreamError(Exception):
    """Something could not be run; the message is one line that names the cure."""


def index() -> dict[str, dict]:
    """Return the rows of `upstream/index.toml` by the names of their folders."""
    rows = tomllib.loads((FOLDER / "index.toml").read_text())["defect"]
    return {row["folder"]: row for row in rows}


def patched(rows: dict[str, dict]) -> list[str]:
    """Return the folders with a patch for the release, in the order in which they are applied."""
    return [name for name, row in rows.items() if not row.get("checkout")]


def call(*command: Any, cwd: Path, env: dict | None = None) -> subprocess.CompletedProcess:
    """Run a command and return what it said, whatever its status."""
    words = [str(word) for word in command]
    return subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True)


def install() -> dict[str, str]:
    """Make the environment with the newest releases, or bring it up to date; return its versions.

    Raises:
        UpstreamError: there is no environment, and no network to make one.
    """
    asked = tomllib.loads((FOLDER / "index.toml").read_text())["environment"]["packages"]
    cure = "The newest releases could not be installed: check the network."
    try:
        if not PYTHON.exists():
            environments.create(WORK / "env", sys.executable, *asked, cure=cure)
        else:
            environments.install(WORK / "env", "--upgrade", *asked, cure=cure)
    except environments.SetupError as error:
        if not PYTHON.exists():
            raise UpstreamError(str(error)) from None
        print(f"{error} What was installed before is used.", flush=True)
    command = [environments.find_uv(), "pip", "list", "--format", "json", "--python", PYTHON]
    listed = json.loads(environments.run(*command, cure=cure))
    return {row["name"]: row["version"] for row in listed}


def source(library: str, release: str) -> Path:
    """Return the released source of a library, fetched once, as its registry holds it."""
    home = WORK / "source"
    place = home / f"{library}-{release}"
    if not (place / "complete").exists():
        home.mkdir(parents=True, exist_ok=True)
        pip = [PYTHON, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:"]
        done = call(*pip, "--no-build-isolation", f"{library}=={release}", cwd=home)
        archives = list(home.glob(f"{library}-{release}.tar.gz"))
        if not archives:
            why = (done.stderr.strip().splitlines() or ["nothing was fetched"])[-1]
            raise UpstreamError(f"no source of {library} {release} ({why}): check the network.")
        with tarfile.open(archives[0]) as archive:
            archive.extractall(home, filter="data")
        (place / "complete").touch()
    return place


def apply(patch: Path, tree: Path, *options: str) -> str:
    """Apply a patch with git; return what it said where it did not apply, or nothing."""
    alone = f"--git-dir={tree / 'no-repository'}"  # else git takes the book's checkout for the tree
    done = call("git", alone, "apply", *options, patch, cwd=tree)
    return done.stderr.strip() or "it does not apply" if done.returncode else ""


def tree(name: str, base: Path, patches: list[str]) -> Path:
    """Return a fresh copy of a source with patches applied.

    Raises:
        UpstreamError: a patch does not apply.
    """
    place = WORK / "trees" / re.sub(r"\W+", "-", name)
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(base, place)
    for folder in patches:
        said = apply(FOLDER / folder / "fix.patch", place)
        if said:
            raise UpstreamError(f"{folder}/fix.patch: {said.splitlines()[0]}")
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
    """Run a reproducer on a tree; return its exit status."""
    program = FOLDER / folder / "reproducer.py"
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
        raise UpstreamError(f"pytest did not run: {said[-1] if said else 'it said nothing'}")
    ended = {}
    for case in ElementTree.parse(report).iter("testcase"):
        bad = [child.tag for child in case if child.tag in ("failure", "error", "skipped")]
        name = f"{case.get('classname')}::{case.get('name')}"
        ended[name] = {"skipped": "skipped"}.get(bad[0], "failed") if bad else "passed"
    return ended


def count(ended: dict[str, str]) -> dict[str, int]:
    """Return how many tests ended how."""
    return {kind: list(ended.values()).count(kind) for kind in ("passed", "failed", "skipped")}


def own_tests(row: dict, base: Path, place: Path, checkout: Path | None) -> list[dict]:
    """Run the library's own tests that touch the patched files, without the patch and with it.

    Each selection is a file, what to match in it (pytest's `-k`), and which of the tests (every
    n-th). What a run without a patch gave is kept, for other folders ask for the same.
    """
    found = []
    for wanted in row.get("own", []):
        homes = [one for one in (base, checkout) if one and (one / wanted["file"]).exists()]
        if not homes:
            continue
        match = ["-k", wanted["match"]] if "match" in wanted else []
        every = wanted.get("every", 1)
        asked = hashlib.sha256(json.dumps([wanted, base.name]).encode()).hexdigest()
        kept = WORK / "unpatched" / f"{asked[:16]}.json"
        arguments = [homes[0] / wanted["file"], *match]
        if not kept.exists():
            ended = pytest(base, *arguments, home=homes[0], every=every)
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text(json.dumps(ended))
        before = json.loads(kept.read_text())
        after = pytest(place, *arguments, home=homes[0], every=every)
        broken = [name for name, how in before.items() if how == "passed" != after.get(name)]
        found.append({**wanted, "without": count(before), "with": count(after), "broken": broken})
    return found


def touched(patch: Path) -> list[str]:
    """Return the files that a patch changes."""
    return re.findall(r"^\+\+\+ b/(\S+)", patch.read_text(), re.M)


def state_of(row: dict) -> str:
    """Return what a measured row comes to: proven, mended, or what is wrong."""
    if row["reproducer"]["without"] == 0:
        return "mended"
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
    place = tree(name, base, folders)
    tests = [test for folder in folders for test in sorted((FOLDER / folder).glob("test_*.py"))]
    measured: dict[str, Any] = {"reproducer": {}, "test": {}}
    for how, where in (("without", base), ("with", place)):
        measured["reproducer"][how] = max(reproduce(folder, where) for folder in folders)
        measured["test"][how] = count(pytest(where, *tests, home=FOLDER))
    measured["own"] = own_tests(row, base, place, checkout)
    return {"state": state_of(measured), **measured, "seconds": round(time.monotonic() - started)}


def judge(name: str, checkout: Path) -> dict[str, str]:
    """Return what became of a defect in a checkout: merged, mended otherwise, or still needed."""
    patch, commit = FOLDER / name / "fix.patch", ("git", "log", "-1", "--format=%h of %cs")
    found = {"commit": call(*commit, cwd=checkout).stdout.strip()}
    if not apply(patch, checkout, "--check", "--reverse"):
        return {**found, "state": "merged"}
    if reproduce(name, checkout) == 0:
        return {**found, "state": "mended otherwise"}
    rejected = apply(patch, checkout, "--check")
    return {**found, "state": "needs a new patch" if rejected else "still needed"}


def judge_cases(rows: dict[str, dict], place: Path) -> dict[str, dict]:
    """Run the programs of the book's cases on the patched libraries, as the matrix runs them."""
    from bookkit import records

    wanted = {slug for row in rows.values() for slug in row["cases"]}
    known = records.load()
    asked = {
        slug: records.program(case)
        for slug, case in known.items()
        if slug in wanted or (case.kind == "silent" and case.whose == "library")
    }
    file = WORK / "programs.json"
    file.write_text(json.dumps(asked))
    runner = ROOT / "stacks" / "runner.py"
    done = call(PYTHON, runner, file, cwd=WORK, env=environment(place))
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    found = {}
    for line in lines:
        said = line["reproduce"]
        slug = line["case"]
        found[slug] = {
            "kind": known[slug].kind,
            "patched": slug in wanted,
            "verdict": said["verdict"],
            **({"message": said["message"][:160]} if "message" in said else {}),
        }
    return found


def fingerprint(folders: list[str], row: dict, versions: dict[str, str]) -> str:
    """Return what a measurement depends on, as one hash."""
    files = [path for name in folders for path in sorted((FOLDER / name).iterdir())]
    texts = [path.read_text() for path in files if path.suffix in (".py", ".patch")]
    asked = {key: row.get(key) for key in ("own", "cases")}
    known = [FORMAT, asked, versions, "", texts]
    return hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()[:16]


def show(name: str, row: dict) -> None:
    """Print a row of the table; only its state, where it could not be measured."""
    if "test" not in row:
        print(f"{name:30} {row['state']}", flush=True)
        return
    own = [str(sum(part[how]["passed"] for part in row["own"])) for how in ("without", "with")]
    held = [row["test"][how] for how in ("without", "with")]
    test = [f"{found['passed']}/{sum(found.values())}" for found in held]
    exits = f"{row['reproducer']['without']} → {row['reproducer']['with']}"
    said = row["state"].replace("mended", "mended by the newest release: tell case and report")
    tests, others = " → ".join(test), " → ".join(own)
    print(f"{name:30} {exits:8} {tests:16} {others:14} {row['seconds']:4} s  {said}", flush=True)


def write(record: dict) -> None:
    """Write the record, whole or not at all."""
    part = RECORD.with_suffix(".part")
    part.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")
    part.replace(RECORD)


def measure(known: dict, key: str, *what: Any) -> dict:
    """Return what is known of some folders; what `prove` finds, where something changed."""
    if known.get("of") == key and not what[-1]:  # no checkout
        return known
    try:
        found = prove(*what)
    except UpstreamError as error:
        found = {"state": str(error)}
    return {"of": key, "date": str(datetime.date.today()), **found}


def main() -> int:
    """Run the program; the status is 1 where a row wants attention."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", nargs="*", help="all of them, if none is named")
    parser.add_argument("--checkout", type=Path, help="a checkout of NumPyro")
    options = parser.parse_args()
    rows, checkout = index(), options.checkout
    if unknown := set(options.folders) - set(rows):
        raise UpstreamError(f"no folder {', '.join(unknown)}: there are {', '.join(rows)}.")
    # Without its own history, git would name the commit of the folder around it.
    if checkout and not all((checkout / part).exists() for part in ("numpyro/version.py", ".git")):
        raise UpstreamError(f"{checkout} is no checkout of NumPyro: name its folder.")
    WORK.mkdir(parents=True, exist_ok=True)
    print("installing the newest releases …", flush=True)
    installed = install()
    named = ("numpyro", "jax", "jaxlib", "equinox", "funsor", "optax", "flax", "pytest")
    versions = {name: installed[name] for name in named}
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    release, measured = source("numpyro", versions["numpyro"]), record.setdefault("rows", {})
    print(f"NumPyro {versions['numpyro']}, JAX {versions['jax']}")
    print(f"{'folder':30} {'exits':8} {'its test':16} {'own tests':14}")
    asked = [name for name in options.folders or rows if name in measured or name in patched(rows)]
    for name in asked:
        base = checkout if rows[name].get("checkout") else release
        if base:
            what = (name, [name], rows[name], base, checkout)
            key, old = fingerprint([name], rows[name], versions), measured.get(name, {})
            measured[name] = measure(old, key, *what)
            if checkout:
                measured[name]["main"] = judge(name, checkout)
            write({**record, "versions": versions})
        show(name, measured[name])
    record["versions"] = versions
    if not options.folders:
        cases = {"cases": [slug for row in rows.values() for slug in row["cases"]]}
        own = tomllib.loads((FOLDER / "index.toml").read_text())["together"]
        key, old = fingerprint(patched(rows), {**cases, **own}, versions), record.get("together")
        what = (TOGETHER, patched(rows), own, release, checkout)
        found = measure(old or {}, key, *what)
        if found is not old:
            place = WORK / "trees" / re.sub(r"\W+", "-", TOGETHER)
            found["cases"] = judge_cases(rows, place) if "test" in found else {}
        record["together"] = found
        write(record)
        show(TOGETHER, found)
    return report(record, asked, not options.folders)


def report(record: dict, known: list[str], whole: bool) -> int:
    """Print what wants attention, and return the exit status."""
    asked = {name: record["rows"][name]["state"] for name in known}
    if whole:
        asked[TOGETHER] = record["together"]["state"]
        for slug, case in record["together"]["cases"].items():
            if case["patched"] and case["verdict"] != "ok":
                asked[slug] = f"the book's case gives {case['verdict']} on the patched libraries"
    bad = {name: state for name, state in asked.items() if state != "proven"}
    print(f"\n{len(bad)} rows want attention." if bad else "\nAll patches are proven.")
    for name, state in bad.items():
        print(f"  {name}: {state}")
    return int(bool(bad))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (UpstreamError, environments.SetupError) as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit("\nInterrupted: finished rows are kept; run it again to go on.")
