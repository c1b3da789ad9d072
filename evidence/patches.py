"""Prove the patches of `evidence/upstream` against the newest releases of the libraries.

Each defect has a folder: a report with a program that reproduces it, a patch, and a test for the
library's own suite. A copy of the released source is patched under `.cache/upstream/`, and run on
the stack `patches`; `python -m evidence patch` does so for what is new or changed.

    python -m evidence.patches CHECKOUT [FOLDER …]    what became of each defect on a branch

Of a checkout of NumPyro it is asked too whether its branch has merged a patch or fixed the defect;
what is in no release is proven there. The status is 1 where a row wants attention.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.version import Version

from bookkit import entries, pages, versions
from bookkit import upstream as page
from evidence import engine, kinds, stacks
from tools import environments
from tools.environments import SetupError

FOLDER = page.FOLDER
TABLES = pages.data("evidence/upstream/index.toml")
WORK = environments.CACHE / "upstream"
STACK = "patches"
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


def call(*command: Any, cwd: Path, env: dict | None = None) -> subprocess.CompletedProcess:
    """Run a command and return what it said, whatever its status."""
    words = [str(word) for word in command]
    return subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True)


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
        problem = apply(FOLDER / folder / "fix.patch", place)
        if problem:
            raise SetupError(f"{folder}/fix.patch: {problem.splitlines()[0]}")
    return place


def environment(place: Path, every: int = 1) -> dict[str, str]:
    """Return the variables with which a program sees one tree and nothing of this checkout."""
    inherited = {key: os.environ[key] for key in ("PATH", "HOME", "TMPDIR") if key in os.environ}
    cache = {
        "JAX_COMPILATION_CACHE_DIR": str(WORK / "compiled"),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
    }
    flags = "--xla_force_host_platform_device_count=2 --xla_backend_optimization_level=0"
    fixed = {"JAX_PLATFORMS": "cpu", "PYTHONHASHSEED": "0", "XLA_FLAGS": flags}
    path = os.pathsep.join([str(place), str(WORK / "plugin")])
    ours = {"UPSTREAM_EVERY": str(every), "UPSTREAM_TREE": str(place), "NUMPYRO": str(place)}
    return {**inherited, **cache, **fixed, **ours, "PYTHONPATH": path, "PYTHONSAFEPATH": "1"}


def count(ended: dict[str, str]) -> dict[str, int]:
    """Return how many tests ended how."""
    return {kind: list(ended.values()).count(kind) for kind in ("passed", "failed", "skipped")}


def state_of(measured: dict) -> str:
    """Return what a measured row comes to: proven, fixed, or what is wrong."""
    if measured["reproducer"]["without"] == 0:
        return "fixed"
    wrong = []
    if measured["reproducer"] != {"without": 1, "with": 0}:
        wrong.append(f"the reproducer gave {measured['reproducer']}")
    if not measured["test"]["without"]["failed"]:
        wrong.append("the test passes without the patch")
    if measured["test"]["with"]["failed"] or not measured["test"]["with"]["passed"]:
        wrong.append(f"the test with the patch: {measured['test']['with']}")
    wrong += [f"{name} fails with the patch" for part in measured["own"] for name in part["broken"]]
    return "; ".join(wrong) or "proven"


def is_older(checkout: Path) -> bool:
    """Tell whether a checkout is older than the release that the patches are for."""
    file = checkout / "numpyro" / "version.py"
    text = file.read_text() if file.exists() else ""
    named = re.search(r"__version__ = \"(.+)\"", text)
    return named is not None and Version(named[1]) < Version(metadata.version("numpyro"))


@dataclass
class Bench:
    """Where patches are proven: an interpreter, and a checkout of a branch if there is one."""

    python: Path
    checkout: Path | None = None
    ran: dict[tuple, dict[str, str]] = field(default_factory=dict)  # a library's own tests

    def source(self, library: str, release: str) -> Path:
        """Return the released source of a library, fetched once, as its registry holds it."""
        home = WORK / "source"
        place = home / f"{library}-{release}"
        if not (place / "complete").exists():
            home.mkdir(parents=True, exist_ok=True)
            environments.run(
                *[self.python, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:"],
                *["--no-build-isolation", "-d", home, f"{library}=={release}"],
                cure=f"There is no source of {library} {release}: check the network.",
            )
            with tarfile.open(home / f"{library}-{release}.tar.gz") as archive:
                archive.extractall(home, filter="data")
            (place / "complete").touch()
        return place

    def reproduce(self, folder: str, place: Path) -> int:
        """Run the program of a report on a tree; return its exit status."""
        program = page.write_reproducer(folder)
        return call(self.python, program, cwd=WORK, env=environment(place)).returncode

    def pytest(self, place: Path, *arguments: Any, home: Path, every: int = 1) -> dict[str, str]:
        """Run tests on a tree; return how each ended: passed, failed, or skipped."""
        report = WORK / "report.xml"
        report.unlink(missing_ok=True)
        (WORK / "plugin").mkdir(exist_ok=True)
        (WORK / "plugin" / "upstream_sample.py").write_text(SAMPLE)
        settings = WORK / "plugin" / "pytest.ini"  # none of the book's, and none of the library's
        settings.write_text("[pytest]\n")
        plugins = ["-p", "no:cacheprovider", "-p", "upstream_sample"]
        options = ["-c", settings, "--rootdir", home, "--confcutdir", home, "--junitxml", report]
        command = [self.python, "-m", "pytest", "-q", "-W", "ignore", *plugins, *options]
        done = call(*command, *arguments, cwd=WORK, env=environment(place, every))
        if not report.exists():
            output = (done.stdout + done.stderr).strip().splitlines()
            raise SetupError(f"pytest did not run: {output[-1] if output else 'it said nothing'}")
        ended = {}
        for case in ElementTree.parse(report).iter("testcase"):
            bad = [child.tag for child in case if child.tag in ("failure", "error", "skipped")]
            name = f"{case.get('classname')}::{case.get('name')}"
            ended[name] = {"skipped": "skipped"}.get(bad[0], "failed") if bad else "passed"
        return ended

    def own_tests(self, asked: list[dict], base: Path, place: Path) -> list[dict]:
        """Run the library's own tests that touch the patched files, without the patch and with it.

        A file that no release carries is taken from the checkout.
        """
        results = []
        for wanted in asked:
            homes = [
                folder
                for folder in (base, self.checkout)
                if folder and (folder / wanted["file"]).exists()
            ]
            if not homes:
                continue
            matching = ["-k", wanted["match"]] if "match" in wanted else []
            words, every = [homes[0] / wanted["file"], *matching], wanted.get("every", 1)
            ended = []
            for where in (base, place):
                key = (where, *words, every)
                if key not in self.ran:
                    self.ran[key] = self.pytest(where, *words, home=homes[0], every=every)
                ended.append(self.ran[key])
            before, after = ended
            broken = [name for name, how in before.items() if how == "passed" != after.get(name)]
            results.append(
                {**wanted, "without": count(before), "with": count(after), "broken": broken}
            )
        return results

    def prove(self, name: str, row: dict, base: Path) -> dict:
        """Measure a folder, or all of them together: reproducers, tests, the library's own."""
        started, folders = time.monotonic(), row["folders"]
        try:
            place = tree(name, base, folders)
            tests = [
                test for folder in folders for test in sorted((FOLDER / folder).glob("test_*.py"))
            ]
            measured: dict[str, Any] = {"reproducer": {}, "test": {}}
            for how, where in (("without", base), ("with", place)):
                statuses = [self.reproduce(folder, where) for folder in folders]
                measured["reproducer"][how] = max(statuses)
                measured["test"][how] = count(self.pytest(where, *tests, home=FOLDER))
            measured["own"] = self.own_tests(row["own"], base, place)
        except SetupError as error:
            return {"state": str(error)}
        if name == TOGETHER:
            measured["cases"] = self.judge_cases(row["cases"], place)
        seconds = round(time.monotonic() - started)
        return {"state": state_of(measured), **measured, "seconds": seconds}

    def judge(self, name: str) -> dict[str, str]:
        """Return what became of a defect in the checkout: merged, mended otherwise, or needed."""
        assert self.checkout
        patch, commit = FOLDER / name / "fix.patch", ("git", "log", "-1", "--format=%h of %cs")
        outcome = {"commit": call(*commit, cwd=self.checkout).stdout.strip()}
        if not apply(patch, self.checkout, "--check", "--reverse"):
            return {**outcome, "state": "merged"}
        if self.reproduce(name, self.checkout) == 0:
            return {**outcome, "state": "fixed otherwise"}
        if not apply(patch, self.checkout, "--check"):
            return {**outcome, "state": "still needed"}
        return {**outcome, "state": "older" if is_older(self.checkout) else "needs a new patch"}

    def judge_cases(self, patched: list[str], place: Path) -> dict[str, dict]:
        """Run the programs of the book's cases on the patched libraries, as the matrix does."""
        asked = {
            slug: case
            for slug, case in entries.cases().items()
            if slug in patched or (case.kind == "silent" and case.whose == "library")
        }
        programs = {slug: entries.program(case) for slug, case in asked.items()}
        outcomes: dict[str, dict] = {}
        for slug, outcome in kinds.run_cases(self.python, programs, environment(place)):
            brief: dict = {
                key: outcome[key][:160] for key in ("verdict", "message") if key in outcome
            }
            outcomes[slug] = {"kind": asked[slug].kind, "patched": slug in patched, **brief}
        return outcomes


def programs() -> dict[str, dict]:
    """Return what is proven on the released libraries, by folder, and of all patches together."""
    released = {
        name: defect for name, defect in page.defects().items() if not defect.get("checkout")
    }
    cases = [slug for defect in page.defects().values() for slug in defect["cases"]]
    asked = {name: asked_of(defect, [name]) for name, defect in released.items()}
    return asked | {TOGETHER: asked_of({**TABLES["together"], "cases": cases}, list(released))}


def asked_of(defect: dict, folders: list[str]) -> dict:
    """Return all that a proof depends on: the texts of some folders, and what else is run."""
    texts = []
    for name in folders:
        (test,) = (FOLDER / name).glob("test_*.py")
        patch = FOLDER / name / "fix.patch"
        texts.append([patch.read_text(), page.reproducer(name), test.read_text()])
    asked = {"folders": folders, "own": defect.get("own", []), "cases": defect["cases"]}
    return {**asked, "texts": texts}


def prove(python: Path, wanted: dict[str, dict]) -> Iterator[tuple[str, dict]]:
    """Prove folders on the released libraries."""
    bench = Bench(python)
    base = bench.source("numpyro", versions.pins(STACK)["numpyro"])
    for name, proof in wanted.items():
        outcome = bench.prove(name, proof, base)
        print(f"{name:30} {outcome['state']}", flush=True)
        yield name, outcome


def attention(name: str, row: dict) -> list[str]:
    """Return what of a row a person should look at, in lines."""
    state = row["state"].replace("fixed", "fixed by the newest release: tell case and report")
    bad = [f"{name}: {state}"] if state != "proven" else []
    for slug, case in row.get("cases", {}).items():
        if case["patched"] and case["verdict"] != "ok":
            bad.append(f"{slug}: with all patches the book's case gives {case['verdict']}")
    return bad


PATCH = engine.Kind(
    "patch", programs, lambda name, program: [STACK], prove, lambda row: row.get("state", ""),
    attention,
)  # fmt: skip


def main() -> int:
    """Ask a checkout about each defect; the status is 1 where a row wants attention."""
    parser = argparse.ArgumentParser(prog="python -m evidence.patches")
    parser.add_argument("checkout", type=Path, help="a checkout of NumPyro")
    parser.add_argument("folders", nargs="*", help="all of them, if none is named")
    asked = parser.parse_args()
    # Without its own history, git would name the commit of the folder around it.
    if not all((asked.checkout / part).exists() for part in ("numpyro/version.py", ".git")):
        raise SetupError(f"{asked.checkout} is no checkout of NumPyro: name its folder.")
    on_record, bad = page.checked_out(), []
    with stacks.installed(STACK) as python:
        bench = Bench(python, asked.checkout)
        for name in asked.folders or page.defects():
            defect, date = page.defects()[name], engine.today()
            outcome: dict = {"program": name, "date": date, "main": bench.judge(name)}
            if defect.get("checkout"):
                outcome |= bench.prove(name, asked_of(defect, [name]), asked.checkout)
                bad += attention(name, outcome)
            on_record[name] = outcome
            print(f"{name:30} {outcome['main']['state']}", flush=True)
            engine.write_lines("checkout", on_record.values())
    print(*bad, sep="\n")
    return int(bool(bad))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except SetupError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit("\nInterrupted: finished rows are kept; run it again to go on.")
