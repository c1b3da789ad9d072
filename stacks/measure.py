"""Measure in which releases each failure occurs, and write `stacks/matrix.json`.

Every row is a stack: `stacks/matrix/<row>.in` names its pins, `<row>.txt` is their lock with
hashes. A row whose name is a NumPyro release is that release with the JAX of its day; a row named
`<release>-<library>-<version>` is a control, which differs from another row in one library.

For each row uv makes an environment under `.cache/matrix/`, in which the chapters' programs, in
`stacks/reproducers/`, and those of the cases, on the pages in `book/cases/`, run with their cures,
each in a process of its own. A row's result is written when the row is done, so an interrupted run
goes on where it stopped. Only what is missing runs again: a row whose lock or this program changed,
and in every row a program that did.

    python -m stacks.measure                       measure what is missing, write the record
    python -m stacks.measure --rows 0.15.2,0.22.0  these rows only
    python -m stacks.measure --check --rows ...    measure again, compare with the record
    python -m stacks.measure --lock                make the locks from the pins

Verdicts: `fails` (the library's exception), `wrong` (a silently wrong result, and which), `warns`,
`ok`, `cannot run` (another exception than the failure's: the stack cannot run this program) and
`cannot install`.
"""

import argparse
import ast
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
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import cache
from pathlib import Path
from typing import Any

from bookkit import records
from bookkit.pages import ROOT
from tools import environments

STACKS = ROOT / "stacks" / "matrix"
REPRODUCERS = ROOT / "stacks" / "reproducers"
RUNNER = ROOT / "stacks" / "runner.py"
RECORD = ROOT / "stacks" / "matrix.json"
WORK = ROOT / ".cache" / "matrix"
PARTS = ("reproduce", "fix")
TIME_LIMIT = 300.0  # seconds, for one part of one reproducer
INSTALL_LIMIT = 1800.0
# What verdicts depend on; the rest of this file may change without measuring anything again.
MEASURING = ("environment", "run", "install", "measure_part", "measure_cases", "measure")
# Until November 2026 the whole file was digested. Its functions that measure were the same.
SAME = {"3a9c29142d03654d": "1ae0ddf7c806f7d2"}

_PIN = re.compile(r"^([A-Za-z0-9_.-]+)==([^\s;\\]+)", re.MULTILINE)
# What may differ between two runs of the same thing: addresses, flat indices, digits of a float.
_RUN_DEPENDENT = re.compile(r"0x[0-9a-f]+|\d+(\.\d+)?")
_stopping = threading.Event()
_running: set[subprocess.Popen[str]] = set()


class CannotInstallError(Exception):
    """The stack of a row could not be installed; the message says why."""


# --- stacks and reproducers ------------------------------------------------------------------


def row_order(row: str) -> tuple[tuple[int, ...], str]:
    """Sort key of a row's name: the NumPyro release, and its own row before its controls."""
    release, _, control = row.partition("-")
    return tuple(int(part) for part in release.split(".")), control


def row_names() -> list[str]:
    """The rows that have pins, oldest NumPyro first."""
    return sorted((path.stem for path in STACKS.glob("*.in")), key=row_order)


def pins_of(lock: str) -> dict[str, str]:
    """Name and version of everything that a lock file installs."""
    return {name.lower().replace("_", "-"): version for name, version in _PIN.findall(lock)}


@cache
def programs() -> dict[str, dict[str, Any]]:
    """The programs of the cases by slug, as their pages have them."""
    return {slug: records.program(case) for slug, case in records.load().items()}


def failures() -> dict[str, dict[str, Any]]:
    """What each program shows and which libraries decide, the chapters' own before the cases."""
    cases = {
        slug: {"shows": case.title, "decided_by": list(case.decided_by)}
        for slug, case in records.load().items()
        if slug in programs()
    }
    return reproducers() | cases


# CPython 3.11 cannot build two syntax trees at once: "AST constructor recursion depth mismatch".
_parsing = threading.Lock()


def reproducers() -> dict[str, dict[str, Any]]:
    """What each reproducer shows and which libraries decide, read without importing it."""
    found = {}
    for path in sorted(REPRODUCERS.glob("[a-z]*.py")):
        with _parsing:
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


def _hash(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def sources(row: str) -> dict[str, str]:
    """For each program, a digest of what its result in a row depends on: the lock, its code."""
    lock = (STACKS / f"{row}.txt").read_text()
    with _parsing:
        code = {
            path.stem: ast.dump(ast.parse(path.read_text())) for path in REPRODUCERS.glob("*.py")
        }
        of_cases = ast.dump(ast.parse(RUNNER.read_text()))
    runner = code.pop("_run", "")
    own = {failure: _hash(lock, runner, code[failure]) for failure in sorted(code)}
    return own | {
        slug: _hash(lock, of_cases, records.as_json(program))
        for slug, program in programs().items()
    }


def key() -> str:
    """Digest of what measures, without comments: what another one measured is measured again."""
    with _parsing:
        own = ast.parse(Path(__file__).read_text())
    code = [ast.dump(node) for node in own.body if getattr(node, "name", "") in MEASURING]
    return _hash(*code, repr((PARTS, TIME_LIMIT, INSTALL_LIMIT)))


# --- processes -------------------------------------------------------------------------------


def environment() -> dict[str, str]:
    """The variables of every process: none that change how Python, JAX or XLA behave."""
    meddling = ("PYTHON", "JAX_", "XLA_", "NUMPYRO_", "EQX_", "VIRTUAL_ENV")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(meddling)}
    kept.setdefault("UV_CACHE_DIR", str(ROOT / ".cache" / "uv"))
    return {**kept, "PYTHONNOUSERSITE": "1", "JAX_PLATFORMS": "cpu"}


def run(command: Sequence[str | Path], limit: float) -> subprocess.CompletedProcess[str]:
    """Run a command in a process group of its own, which does not outlive this call."""
    process = subprocess.Popen(
        [str(part) for part in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        cwd=ROOT,
        start_new_session=True,
    )
    _running.add(process)
    try:
        if _stopping.is_set():
            raise KeyboardInterrupt
        out, err = process.communicate(timeout=limit)
    finally:
        _running.discard(process)
        _kill(process)
    if _stopping.is_set():
        raise KeyboardInterrupt
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def _kill(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def stop() -> None:
    """End every process that is running for us; what they were doing is not recorded."""
    _stopping.set()
    for process in list(_running):
        _kill(process)


def uv() -> str:
    """The uv that every command of the book uses."""
    return str(environments.find_uv())


# --- one row ---------------------------------------------------------------------------------


def install(row: str) -> tuple[Path, float]:
    """Make the row's environment; its interpreter, and the MiB that uv had to fetch."""
    where = WORK / row
    python = where / "bin" / "python"
    lock = STACKS / f"{row}.txt"
    fetched = 0.0
    for command in (
        ["venv", "--clear", "--python", sys.executable, where],
        ["pip", "install", "--python", python, "--require-hashes", "-r", lock],
    ):
        try:
            done = run([uv(), "--color", "never", *command], INSTALL_LIMIT)  # type: ignore[list-item]
        except subprocess.TimeoutExpired as error:
            raise CannotInstallError(f"not installed within {INSTALL_LIMIT:.0f} s") from error
        if done.returncode != 0:
            said = [line.strip() for line in done.stderr.splitlines() if line.strip()]
            why = [line for line in said if re.match(r"error|cause", line)] or said[-1:]
            raise CannotInstallError(" ".join(why[:2]).replace(str(ROOT), "."))
        fetched += mebibytes(done.stderr)
    return python, fetched


def mebibytes(uv_says: str) -> float:
    """The sum of `Downloading jaxlib (85.5MiB)` lines; uv has none for small files."""
    units = {"KiB": 1 / 1024, "MiB": 1.0, "GiB": 1024.0}
    sizes = re.findall(r"^\s*Downloading \S+ \(([\d.]+)([KMG]iB)\)", uv_says, re.MULTILINE)
    return sum(float(number) * units[unit] for number, unit in sizes)


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


def measure(row: str, keep: bool = False, known: dict[str, Any] | None = None) -> dict[str, Any]:
    """Install a row, run everything in it that is not `known`, and say what happened."""
    started = time.monotonic()
    pins = pins_of((STACKS / f"{row}.txt").read_text())
    result: dict[str, Any] = {
        "row": row,
        "key": key(),
        "sources": sources(row),
        "measured": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "pins": dict(sorted(pins.items())),
    }
    try:
        python, fetched = install(row)
        result["downloaded_mib"] = round(fetched, 1)
        installed = sum(f.lstat().st_size for f in (WORK / row).rglob("*") if f.is_file())
        result["installed_mib"] = round(installed / 2**20, 1)
        result["install_seconds"] = round(time.monotonic() - started, 1)
        known = known or {}
        unknown = {slug: what for slug, what in programs().items() if slug not in known}
        of_cases = measure_cases(python, unknown)
        result["verdicts"] = {
            failure: known.get(failure)
            or of_cases.get(failure)
            or {part: measure_part(python, failure, part) for part in PARTS}
            for failure in failures()
        }
    except CannotInstallError as error:
        nothing = {"verdict": "cannot install", "message": str(error)}
        result["verdicts"] = {failure: dict.fromkeys(PARTS, nothing) for failure in failures()}
    finally:
        if not keep:
            shutil.rmtree(WORK / row, ignore_errors=True)
    result["seconds"] = round(time.monotonic() - started, 1)
    return result


# --- results ---------------------------------------------------------------------------------


def write(path: Path, content: object) -> None:
    """Write JSON under another name first, so that a file is there whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    part.write_text(json.dumps(content, indent=1) + "\n")
    part.replace(path)


def read(path: Path) -> dict[str, Any] | None:
    """The JSON in `path`, or None where there is no such file or no JSON in it."""
    try:
        return json.loads(path.read_text())
    except (FileNotFoundError, json.JSONDecodeError):
        return None


def done_before(row: str) -> dict[str, Any] | None:
    """The row's result from an earlier run; of its verdicts, those that still hold."""
    result = read(WORK / f"{row}.json")
    measured_by = (key(), SAME.get(key()))
    if result is None or result["key"] not in measured_by or "installed_mib" not in result:
        return None
    was, now = result["sources"], sources(row)
    held = {name: said for name, said in result["verdicts"].items() if was[name] == now.get(name)}
    return {**result, "sources": now, "verdicts": held} if held else None


def assemble(results: Iterable[dict[str, Any]], before: dict[str, Any] | None) -> dict[str, Any]:
    """The record: `results`, and for rows not among them what the record said before."""
    old = {row["row"]: row for row in (before or {}).get("rows", [])}
    new = {result["row"]: dict(result) for result in results}
    for name, row in new.items():
        # A warm cache fetches nothing; what the same lock cost from a cold one stays on record.
        if old.get(name, {}).get("pins") == row["pins"] and "downloaded_mib" in row:
            was = old[name].get("downloaded_mib", 0.0)
            row["downloaded_mib"] = max(was, row["downloaded_mib"])
    rows = [{**old, **new}[name] for name in row_names() if name in {**old, **new}]
    for row in rows:
        row.pop("key", None)
    return {
        "date": max(row["measured"] for row in rows),
        "platform": sorted({row["platform"] for row in rows}),
        "python": sorted({row["python"] for row in rows}),
        "failures": failures(),
        "rows": rows,
    }


def summary(result: dict[str, Any]) -> str:
    """One line on a row: how many verdicts of each kind, and whether all fixes hold."""
    verdicts = result["verdicts"].values()
    counts = Counter(verdict["reproduce"]["verdict"] for verdict in verdicts)
    bad = [
        name for name, verdict in result["verdicts"].items() if verdict["fix"]["verdict"] != "ok"
    ]
    said = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
    return f"{said}; {'fix not ok: ' + ', '.join(bad) if bad else 'fixes ok'}"


def _stable(verdict: dict[str, str] | None) -> tuple[str, ...]:
    """What must be equal for two verdicts to agree."""
    said = verdict or {}
    message = _RUN_DEPENDENT.sub("#", said.get("message", ""))
    return said.get("verdict", "nothing"), said.get("type", ""), message


def _say(verdict: dict[str, str] | None) -> str:
    said = verdict or {"verdict": "nothing"}
    return ": ".join(said[name] for name in ("verdict", "type", "message") if name in said)


def differences(recorded: dict[str, Any] | None, now: dict[str, Any]) -> list[str]:
    """Where a new measurement of a row disagrees with the record, one line each."""
    if recorded is None:
        return [f"{now['row']}: not in the record"]
    if recorded["pins"] != now["pins"]:
        return [f"{now['row']}: the record was made with other pins"]
    found = []
    for failure in sorted({*recorded["verdicts"], *now["verdicts"]}):
        for part in PARTS:
            was = recorded["verdicts"].get(failure, {}).get(part)
            is_ = now["verdicts"].get(failure, {}).get(part)
            if _stable(was) != _stable(is_):
                found.append(f"{now['row']} {failure} {part}: was {_say(was)} | is {_say(is_)}")
    return found


# --- the program -----------------------------------------------------------------------------


def measure_all(rows: list[str], jobs: int, keep: bool, again: bool) -> list[dict[str, Any]]:
    """Results of all rows, `jobs` at a time; those known from an earlier run only if not `again`.

    Each new result is written as it comes.
    """
    known = {} if again else {row: done for row in rows if (done := done_before(row))}
    whole = [
        row for row, done in known.items() if done["verdicts"].keys() == done["sources"].keys()
    ]
    if whole:
        print(f"{len(whole)} of {len(rows)} rows are known from an earlier run", flush=True)
    results = [known[row] for row in whole]
    missing = [row for row in rows if row not in whole]
    if missing:
        print(f"measuring {len(missing)} rows, {jobs} at a time, minutes each", flush=True)
    pool = ThreadPoolExecutor(max_workers=jobs)
    try:
        waiting = [
            pool.submit(measure, row, keep, known.get(row, {}).get("verdicts")) for row in missing
        ]
        for number, future in enumerate(as_completed(waiting), start=1):
            result = future.result()
            write(WORK / f"{result['row']}.json", result)
            results.append(result)
            place = f"[{number:{len(str(len(missing)))}}/{len(missing)}]"
            print(f"{place} {result['row']:<22} {result['seconds']:4.0f} s  {summary(result)}")
            sys.stdout.flush()
    except KeyboardInterrupt:
        stop()
        pool.shutdown(cancel_futures=True)
        print("stopped; the next run goes on from here", file=sys.stderr)
        raise SystemExit(130) from None
    pool.shutdown()
    return results


def lock(row: str) -> None:
    """Make the row's lock from its pins; versions that it holds already stay."""
    options = ["--python-version", "3.11", "--no-header", "--no-annotate", "--generate-hashes"]
    paths = [STACKS / f"{row}.in", "-o", STACKS / f"{row}.txt"]
    done = run([uv(), "pip", "compile", "--quiet", *options, *paths], INSTALL_LIMIT)  # type: ignore[list-item]
    if done.returncode != 0:
        raise SystemExit(f"{row}: {done.stderr}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; the exit status is 1 where `--check` found a difference."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", help="names of rows, separated by commas (default: all)")
    parser.add_argument("--jobs", type=int, default=2, help="rows at a time (default: 2)")
    parser.add_argument("--keep", action="store_true", help="keep the environments")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--check", action="store_true", help="measure again, compare, write nothing")
    mode.add_argument("--lock", action="store_true", help="make the locks from the pins")
    options = parser.parse_args(arguments)
    if sys.version_info[:2] != (3, 11):
        parser.error("the rows are locked for CPython 3.11; run this with it")
    rows = options.rows.split(",") if options.rows else row_names()
    if unknown := set(rows) - set(row_names()):
        parser.error(f"no such row: {', '.join(sorted(unknown))}")

    _stopping.clear()
    if options.lock:
        for row in rows:
            lock(row)
        return 0
    record = read(RECORD)
    results = measure_all(rows, options.jobs, options.keep, again=options.check)
    if not options.check:
        write(RECORD, assemble(results, record))
        print(f"{RECORD.relative_to(ROOT)} written")
        return 0
    recorded = {row["row"]: row for row in (record or {}).get("rows", [])}
    found = [line for now in results for line in differences(recorded.get(now["row"]), now)]
    print("\n".join(found) or f"{len(results)} rows agree with the record")
    return 1 if found else 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(main())
