"""Measure in which releases each failure occurs, and write `stacks/matrix.json`.

Every row is a stack: `stacks/matrix/<row>.in` names its Python and its pins, `<row>.txt` is their
lock with hashes. A row whose name is a NumPyro release is that release with a JAX of its time;
`<release>+jax-<version>` is the same NumPyro with a later JAX; `<release>-<library>-<version>` is a
control, which differs from another row in one library.

For each row uv makes an environment under `.cache/matrix/`, in which the chapters' programs, in
`stacks/reproducers/`, and those of the cases, on the pages in `book/cases/`, run with their cures,
each in a process of its own. What is known stands in the record: each verdict with a digest of the
program that it is about. So only what is new or changed runs, in a fresh clone too, and a row is
written to the record as soon as it is measured.

    python -m stacks.measure                       measure what is missing in all rows
    python -m stacks.measure --newest              the newest rows only, for a new case
    python -m stacks.measure --rows 0.15.2,0.22.0  these rows only
    python -m stacks.measure --lock --rows ...     make the locks from the pins

Verdicts: `fails` (the library's exception), `wrong` (a silently wrong result, and which), `warns`,
`ok`, `cannot run` (another exception than the failure's: the stack cannot run this program) and
`cannot install`.
"""

import argparse
import ast
import contextlib
import datetime
import hashlib
import json
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from bookkit import records, versions
from bookkit.pages import ROOT
from tools import environments

STACKS = ROOT / "stacks" / "matrix"
REPRODUCERS = ROOT / "stacks" / "reproducers"
RUNNER = ROOT / "stacks" / "runner.py"
RECORD = ROOT / "stacks" / "matrix.json"
WORK = ROOT / ".cache" / "matrix"
PARTS = ("reproduce", "fix")
NEWEST = 3  # rows in which a new case is measured before its page is built
TIME_LIMIT = 300.0  # seconds, for one part of one reproducer
INSTALL_LIMIT = 1800.0

_PIN = re.compile(r"^([A-Za-z0-9_.-]+)==([^\s;\\]+)", re.MULTILINE)
_PYTHON = re.compile(r"^# Python (\d+)\.(\d+)$", re.MULTILINE)
_stopping = threading.Event()


class CannotInstallError(Exception):
    """The stack of a row could not be installed; the message says why."""


# --- stacks and programs ---------------------------------------------------------------------


def row_order(row: str) -> tuple[tuple[int, ...], str, tuple[int, ...], str]:
    """Sort key of a row's name: the NumPyro release, its later JAX releases, then its controls."""
    release, mark, rest = re.fullmatch(r"([\d.]+)([+-]?)(.*)", row).groups()  # type: ignore[union-attr]
    later = versions.version_order(rest.removeprefix("jax-")) if mark == "+" else ()
    return versions.version_order(release), mark, later, rest


def row_names() -> list[str]:
    """The rows that have pins, oldest NumPyro first."""
    return sorted((path.stem for path in STACKS.glob("*.in")), key=row_order)


def newest_rows() -> list[str]:
    """The last stacks that are no controls."""
    return [row for row in row_names() if not versions.is_control({"row": row})][-NEWEST:]


def pins_of(lock: str) -> dict[str, str]:
    """Name and version of everything that a lock file installs."""
    return {name.lower().replace("_", "-"): version for name, version in _PIN.findall(lock)}


def python_of(row: str) -> tuple[int, int]:
    """The Python that a row needs, as its file of pins says."""
    found = _PYTHON.search((STACKS / f"{row}.in").read_text())
    if found is None:
        raise SystemExit(f"error: stacks/matrix/{row}.in names no Python: begin it `# Python 3.12`")
    return int(found[1]), int(found[2])


def reproducers() -> dict[str, dict[str, Any]]:
    """What each reproducer shows and which libraries decide, read without importing it."""
    found = {}
    for path in sorted(REPRODUCERS.glob("[a-z]*.py")):
        tree = ast.parse(path.read_text())
        constants = {
            node.targets[0].id: node.value
            for node in tree.body
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        }
        found[path.stem] = {
            "shows": (ast.get_docstring(tree) or "").splitlines()[0],
            "decided_by": list(ast.literal_eval(constants["DECIDED_BY"])),
        }
    return found


def programs() -> dict[str, dict[str, Any]]:
    """The programs of the cases by slug, as their pages have them."""
    return {slug: records.program(case) for slug, case in records.load().items()}


def failures() -> dict[str, dict[str, Any]]:
    """What each program shows and which libraries decide, the chapters' own before the cases."""
    return reproducers() | {
        slug: {"shows": case.title, "decided_by": list(case.decided_by)}
        for slug, case in records.load().items()
    }


def _digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def _code(path: Path) -> str:
    """The lines of a file that are no comments."""
    lines = path.read_text().splitlines()
    return "\n".join(line for line in lines if line.strip() and not line.lstrip().startswith("#"))


def digests() -> dict[str, str]:
    """For each program, a digest of what its verdict in a stack depends on."""
    shared, of_cases = _code(REPRODUCERS / "_run.py"), _code(RUNNER)
    own = {name: _digest(shared, _code(REPRODUCERS / f"{name}.py")) for name in reproducers()}
    return own | {
        slug: _digest(of_cases, records.as_json(program)) for slug, program in programs().items()
    }


# --- processes -------------------------------------------------------------------------------


def environment() -> dict[str, str]:
    """The variables of every process: none that change how Python, JAX or XLA behave."""
    meddling = ("PYTHON", "JAX_", "XLA_", "NUMPYRO_", "EQX_", "VIRTUAL_ENV")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(meddling)}
    kept.setdefault("UV_CACHE_DIR", str(ROOT / ".cache" / "uv"))
    return {**kept, "PYTHONNOUSERSITE": "1", "JAX_PLATFORMS": "cpu"}


def run(command: Sequence[str | Path], limit: float) -> subprocess.CompletedProcess[str]:
    """Run a command, unless the whole run is being stopped."""
    if _stopping.is_set():
        raise KeyboardInterrupt
    words = [str(part) for part in command]
    done = subprocess.run(
        words, capture_output=True, text=True, env=environment(), cwd=ROOT, timeout=limit
    )
    if _stopping.is_set():  # Ctrl-C ended it too
        raise KeyboardInterrupt
    return done


# --- one row ---------------------------------------------------------------------------------


def install(row: str) -> Path:
    """Make the row's environment, and return its interpreter."""
    where, wanted = WORK / row, python_of(row)
    base = environments.find_python(wanted)
    if base is None:
        name = "Python {}.{}".format(*wanted)
        raise CannotInstallError(f"{name} is not on this machine: install it, or leave the row out")
    python = where / "bin" / "python"
    for command in (
        ["venv", "--clear", "--python", base, where],
        ["pip", "install", "--python", python, "--require-hashes", "-r", STACKS / f"{row}.txt"],
    ):
        try:
            done = run([environments.find_uv(), "--color", "never", *command], INSTALL_LIMIT)
        except subprocess.TimeoutExpired as error:
            raise CannotInstallError(f"not installed within {INSTALL_LIMIT:.0f} s") from error
        if done.returncode != 0:
            said = [line.strip() for line in done.stderr.splitlines() if line.strip()]
            why = [line for line in said if re.match(r"error|cause", line)] or said[-1:]
            raise CannotInstallError(" ".join(why[:2]).replace(str(ROOT), "."))
    return python


def measure_part(python: Path, failure: str, part: str) -> dict[str, str]:
    """The verdict on `reproduce` or `fix` of one reproducer."""
    try:
        done = run([python, REPRODUCERS / "_run.py", failure, part], TIME_LIMIT)
    except subprocess.TimeoutExpired:
        return {"verdict": "cannot run", "message": f"no answer within {TIME_LIMIT:.0f} s"}
    try:
        return json.loads(done.stdout.splitlines()[-1])
    except (IndexError, json.JSONDecodeError):
        last = (done.stderr.strip().splitlines() or [f"ended with {done.returncode}"])[-1]
        return {"verdict": "cannot run", "message": last.replace(str(ROOT), ".")}


def measure_cases(python: Path, wanted: dict[str, Any]) -> dict[str, dict[str, dict[str, str]]]:
    """The verdicts on the programs of cases, measured by one process that forks for each."""
    if not wanted:
        return {}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(wanted, file)
        file.flush()
        try:
            done = run([python, RUNNER, file.name], TIME_LIMIT * len(wanted))
            lines, why = done.stdout.splitlines(), done.stderr.strip().splitlines()[-1:]
        except subprocess.TimeoutExpired:
            lines, why = [], ["no answer in time"]
    found = {}
    for line in lines:
        row = json.loads(line)
        found[row.pop("case")] = {
            part: {key: text.replace(str(ROOT), ".") for key, text in row[part].items()}
            for part in PARTS
        }
    said = {"verdict": "cannot run", "message": " ".join(why) or "the runner ended early"}
    return {slug: found.get(slug, dict.fromkeys(PARTS, said)) for slug in wanted}


def measure(row: str, wanted: dict[str, str]) -> dict[str, Any]:
    """Install a row, run the programs that are `wanted` in it, and say what happened.

    Args:
        row: its name.
        wanted: the digests of the programs, by name.
    """
    started = time.monotonic()
    try:
        python = install(row)
        cases = {slug: what for slug, what in programs().items() if slug in wanted}
        of_cases = measure_cases(python, cases)
        found = {
            name: of_cases.get(name) or {part: measure_part(python, name, part) for part in PARTS}
            for name in wanted
        }
    except CannotInstallError as error:
        nothing = {"verdict": "cannot install", "message": str(error)}
        found = {name: dict.fromkeys(PARTS, nothing) for name in wanted}
    finally:
        shutil.rmtree(WORK / row, ignore_errors=True)
    return {
        "row": row,
        "measured": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "python": "{}.{}".format(*python_of(row)),
        "platform": f"{platform.system()} {platform.machine()}",
        "pins": dict(sorted(pins_of((STACKS / f"{row}.txt").read_text()).items())),
        "seconds": round(time.monotonic() - started),
        "verdicts": {name: {"program": wanted[name], **found[name]} for name in wanted},
    }


# --- the record ------------------------------------------------------------------------------


def read() -> dict[str, Any]:
    """The record by row; empty where there is no such file or no JSON in it."""
    try:
        return {row["row"]: row for row in json.loads(RECORD.read_text())["rows"]}
    except (FileNotFoundError, json.JSONDecodeError):
        return {}


def write(rows: dict[str, Any]) -> None:
    """Write the record under another name first, so that it is there whole or not at all."""
    kept = [rows[name] for name in row_names() if name in rows]
    content = {
        "date": max(row["measured"] for row in kept),
        "platform": sorted({row["platform"] for row in kept}),
        "python": sorted({row["python"] for row in kept}),
        "failures": failures(),
        "rows": kept,
    }
    part = RECORD.with_name(f"{RECORD.name}.part")
    part.write_text(json.dumps(content, indent=1) + "\n")
    part.replace(RECORD)


def known(row: str, recorded: dict[str, Any] | None, now: dict[str, str]) -> dict[str, Any]:
    """Of a row's verdicts on record, those whose lock and program are as they were measured."""
    pins = pins_of((STACKS / f"{row}.txt").read_text())
    if recorded is None or recorded["pins"] != pins:
        return {}
    return {
        name: said
        for name, said in recorded["verdicts"].items()
        if said["program"] == now.get(name) and said["fix"]["verdict"] != "cannot install"
    }


def summary(result: dict[str, Any]) -> str:
    """One line on a row: how many verdicts of each kind, and whether all fixes hold."""
    verdicts = result["verdicts"].items()
    counts = Counter(said["reproduce"]["verdict"] for _, said in verdicts)
    bad = [name for name, said in verdicts if said["fix"]["verdict"] != "ok"]
    words = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
    return f"{words}; {'fix not ok: ' + ', '.join(bad) if bad else 'fixes ok'}"


# --- the program -----------------------------------------------------------------------------


def measure_all(wanted: dict[str, dict[str, str]], jobs: int) -> Iterator[dict]:
    """Yield the result of each row that has programs to run, as it comes, `jobs` at a time."""
    for python in {python_of(row) for row in wanted}:
        if environments.find_python(python) is None:
            left = [row for row in wanted if python_of(row) == python]
            name = "Python {}.{}".format(*python)
            print(f"{name} is not on this machine; left out: {', '.join(left)}", flush=True)
            wanted = {row: names for row, names in wanted.items() if row not in left}
    if not wanted:
        return
    count = len({name for names in wanted.values() for name in names})
    print(f"measuring {count} programs in {len(wanted)} stacks, {jobs} at a time …", flush=True)
    pool = ThreadPoolExecutor(max_workers=jobs)
    try:
        waiting = [pool.submit(measure, row, names) for row, names in wanted.items()]
        for number, future in enumerate(as_completed(waiting), start=1):
            result = future.result()
            place = f"[{number}/{len(wanted)}]"
            print(f"{place} {result['row']:<22} {result['seconds']:4} s  {summary(result)}")
            sys.stdout.flush()
            yield result
    except KeyboardInterrupt:
        _stopping.set()
        pool.shutdown(cancel_futures=True)
        print("stopped; the next run goes on from here", file=sys.stderr)
        raise SystemExit(130) from None
    pool.shutdown()


def lock(row: str) -> None:
    """Make the row's lock from its pins; versions that it holds already stay."""
    version = "{}.{}".format(*python_of(row))
    options = ["--python-version", version, "--no-header", "--no-annotate", "--generate-hashes"]
    paths = [STACKS / f"{row}.in", "-o", STACKS / f"{row}.txt"]
    uv = environments.find_uv()
    words = map(str, [uv, "pip", "compile", "--quiet", *options, *paths])
    done = run([*words], INSTALL_LIMIT)
    if done.returncode != 0:
        raise SystemExit(f"{row}: {done.stderr}")


def update(rows: list[str], jobs: int = 2) -> None:
    """Measure what is missing in some rows, and bring the whole record up to date."""
    now, recorded = digests(), read()
    for name in recorded:
        recorded[name]["verdicts"] = known(name, recorded[name], now)
    held = {row: recorded.get(row, {}).get("verdicts", {}) for row in rows}
    wanted = {row: {k: v for k, v in now.items() if k not in held[row]} for row in rows}
    for result in measure_all({row: names for row, names in wanted.items() if names}, jobs):
        found = {**held[result["row"]], **result["verdicts"]}
        result["verdicts"] = {name: found[name] for name in now if name in found}
        recorded[result["row"]] = result
        write(recorded)
    write(recorded)
    whole = sum(len(row["verdicts"]) == len(now) for row in recorded.values())
    print(f"{whole} of {len(row_names())} stacks know all {len(now)} programs", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--rows", help="names of rows, separated by commas (default: all)")
    which.add_argument("--newest", action="store_true", help=f"the newest {NEWEST} rows")
    parser.add_argument("--jobs", type=int, default=2, help="rows at a time (default: 2)")
    parser.add_argument("--lock", action="store_true", help="make the locks from the pins")
    options = parser.parse_args(arguments)
    rows = options.rows.split(",") if options.rows else row_names()
    rows = newest_rows() if options.newest else rows
    if unknown := set(rows) - set(row_names()):
        parser.error(f"no such row: {', '.join(sorted(unknown))}")

    _stopping.clear()
    if options.lock:
        for row in rows:
            lock(row)
    else:
        update(rows, options.jobs)


if __name__ == "__main__":
    with contextlib.suppress(ValueError):
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    main()
