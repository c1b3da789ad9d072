"""Measure in which releases each failure occurs, and write `evidence/matrix.json`.

Every row is a stack: `evidence/stacks/<row>.in` names its Python and its pins, `<row>.txt` is their
lock with hashes. A row whose name is a NumPyro release is that release with a JAX of its time;
`<release>+jax-<version>` is the same NumPyro with a later JAX; `<release>-<library>-<version>` is a
control, which differs from another row in one library.

For each row uv makes an environment under `.cache/matrix/`. In it `runner.py` runs the chapters'
programs, of `evidence/chapters/`, and those of the cases, of `book/cases/`, with their cures. What
is known stands in the record: each verdict with a digest of the program that it is about. So only
what is new or changed runs, in a fresh clone too, and a row is written as soon as it is measured.

    python -m evidence.measure                       measure what is missing in all rows
    python -m evidence.measure --newest              the newest rows only, for a new case
    python -m evidence.measure --rows 0.15.2,0.22.0  these rows only
    python -m evidence.measure --lock                lay down the book's own stack, lock all rows
    python -m evidence.measure --lock --rows ...     make the locks of some from their pins

Verdicts: `fails` (the library's exception), `wrong` (a silently wrong result, and which), `warns`,
`ok`, and `cannot run` (another exception than the failure's: the stack cannot run this program).
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
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from bookkit import entries, versions
from bookkit.pages import ROOT
from evidence import runner
from tools import environments

STACKS = ROOT / "evidence" / "stacks"
REPRODUCERS = ROOT / "evidence" / "chapters"
RUNNER = ROOT / "evidence" / "runner.py"
RECORD = ROOT / "evidence" / "matrix.json"
WORK = ROOT / ".cache" / "matrix"
PARTS = ("reproduce", "fix")
JOBS = 2
# What a row pins of the book's own stack.
PINNED = (
    *("numpyro", "jax", "jaxlib", "equinox", "diffrax", "lineax", "optimistix", "numpy", "scipy"),
    *("ml-dtypes", "jaxtyping", "optax", "flax"),
)
NEWEST = 3  # rows in which a new case is measured before its page is built
TIME_LIMIT = 300.0  # seconds for each program, on average

_PIN = re.compile(r"^([A-Za-z0-9_.-]+)==([^\s;\\]+)", re.MULTILINE)
_PYTHON = re.compile(r"^# Python (\d+\.\d+)$", re.MULTILINE)


# --- stacks and programs ---------------------------------------------------------------------


def row_order(row: str) -> tuple[tuple[int, ...], str, tuple[int, ...], str]:
    """Sort key of a row's name: the NumPyro release, its later JAX releases, then its controls."""
    release, mark, rest = re.fullmatch(r"([\d.]+)([+-]?)(.*)", row).groups()  # type: ignore[union-attr]
    later = versions.version_order(rest.removeprefix("jax-")) if mark == "+" else ()
    return versions.version_order(release), mark, later, rest


def row_names() -> list[str]:
    """The rows that have pins, oldest NumPyro first."""
    return sorted((path.stem for path in STACKS.glob("[0-9]*.in")), key=row_order)


def newest_rows() -> list[str]:
    """The last stacks that are no controls."""
    return [row for row in row_names() if not versions.is_control({"row": row})][-NEWEST:]


def pins_of(lock: str) -> dict[str, str]:
    """Name and version of everything that a lock file installs."""
    return {name.lower().replace("_", "-"): version for name, version in _PIN.findall(lock)}


def python_of(row: str) -> str:
    """The Python that a row needs, as its file of pins says: `3.12`."""
    found = _PYTHON.search((STACKS / f"{row}.in").read_text())
    if found is None:
        raise SystemExit(
            f"error: evidence/stacks/{row}.in names no Python: begin it `# Python 3.12`"
        )
    return found[1]


def _code(path: Path) -> str:
    """The lines of a file that are no comments."""
    lines = path.read_text().splitlines()
    return "\n".join(line for line in lines if line.strip() and not line.lstrip().startswith("#"))


def chapters() -> dict[str, dict[str, Any]]:
    """The chapters' own programs by name, and which libraries decide; none is imported.

    A file computes `expected`; its `reproduce` and `fix` return what a case calls `got` and
    `cured`. The cure runs in functions made anew, since JAX may reuse an old trace.
    """
    found = {}
    for path in sorted(REPRODUCERS.glob("*.py")):
        tree, code = ast.parse(path.read_text()), _code(path)
        said = {
            node.targets[0].id: ast.literal_eval(node.value)
            for node in tree.body
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
            if node.targets[0].id in ("DECIDED_BY", "EXPECT", "TOLERANCE")
        }
        found[path.stem] = {
            "decided_by": list(said["DECIDED_BY"]),
            "program": {
                "program": [{"code": f"{code}\ngot = reproduce()", **said["EXPECT"]}],
                "cure": [{"code": f"{code}\ncured = fix()"}],
                "tolerance": said["TOLERANCE"],
                "wordings": [],
            },
        }
    return found


def programs() -> dict[str, dict[str, Any]]:
    """What `runner.py` runs by name: the chapters' programs, and those of the cases."""
    own = {name: row["program"] for name, row in chapters().items()}
    return own | {slug: entries.program(case) for slug, case in entries.cases().items()}


def failures() -> dict[str, dict[str, Any]]:
    """Which libraries decide about each program, the chapters' own before the cases."""
    own = {name: {"decided_by": row["decided_by"]} for name, row in chapters().items()}
    cases = entries.cases().items()
    return own | {slug: {"decided_by": list(case.decided_by)} for slug, case in cases}


def digests() -> dict[str, str]:
    """For each program, a digest of what its verdict in a stack depends on, as it is run."""
    return {
        name: hashlib.sha256(f"{runner.MEANING}\0{entries.as_json(what)}".encode()).hexdigest()[:16]
        for name, what in programs().items()
    }


# --- one row ---------------------------------------------------------------------------------


def environment() -> dict[str, str]:
    """The variables of every process: the book's own, without those of this Python."""
    own = ("PYTHON", "VIRTUAL_ENV", "MPLBACKEND", "XLA_")  # an old XLA stops at a new flag
    kept = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    return {**kept, "PYTHONNOUSERSITE": "1"}


def install(row: str) -> Path:
    """Make the row's environment, and return its interpreter.

    Raises:
        SetupError: it could not be made, or its Python is neither here nor to be had.
    """
    python = environments.find_python(python_of(row))
    environments.create(WORK / row, python, "--require-hashes", "-r", STACKS / f"{row}.txt")
    return WORK / row / "bin" / "python"


def run_programs(
    python: Path, wanted: dict[str, Any], env: dict[str, str] | None = None
) -> dict[str, dict[str, dict[str, str]]]:
    """The verdicts on programs, measured by one process that forks for each.

    Args:
        python: the interpreter of the stack.
        wanted: the programs by name, as `programs` has them.
        env: the variables of the process; those of `environment`, if none are given.
    """
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(wanted, file)
        file.flush()
        try:
            done = subprocess.run(
                [python, RUNNER, file.name], capture_output=True, text=True,
                env=env or environment(), cwd=ROOT, timeout=TIME_LIMIT * len(wanted),
            )  # fmt: skip
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
    return {name: found.get(name, dict.fromkeys(PARTS, said)) for name in wanted}


def measure(row: str, wanted: dict[str, str]) -> dict[str, Any]:
    """Install a row, run the programs that are `wanted` in it, and say what happened.

    Args:
        row: its name.
        wanted: the digests of the programs, by name.
    """
    started = time.monotonic()
    try:
        python = install(row)
        found = run_programs(python, {k: what for k, what in programs().items() if k in wanted})
    finally:
        shutil.rmtree(WORK / row, ignore_errors=True)
    return {
        "row": row,
        "measured": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "python": python_of(row),
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


def depth(value: Any) -> int:
    """Return how deep a value is nested; a number or a text is not."""
    if not isinstance(value, dict | list):
        return 0
    return 1 + max(map(depth, value.values() if isinstance(value, dict) else value), default=0)


def as_lines(value: Any) -> str:
    """Return a value as JSON; what is nested at most two deep, such as a verdict, is one line."""
    text = json.dumps(value, ensure_ascii=False)
    if depth(value) <= 2:
        return text
    if isinstance(value, dict):
        parts = [f"{json.dumps(key)}: {as_lines(part)}" for key, part in value.items()]
    else:
        parts = [as_lines(part) for part in value]
    return "\n".join([text[0], ",\n".join(parts), text[-1]])


def write_json(file: Path, content: object, **options: Any) -> None:
    """Write a record, a line for each number or text."""
    write_whole(file, json.dumps(content, indent=1, **options))


def write_whole(file: Path, text: str) -> None:
    """Write a file under another name first, so that it is there whole or not at all."""
    part = file.with_suffix(".part")
    part.write_text(f"{text}\n")
    part.replace(file)


def write(rows: dict[str, Any]) -> None:
    """Write what is known of some rows, in order."""
    kept = [rows[name] for name in row_names() if name in rows]
    content = {
        "date": max(row["measured"] for row in kept),
        "platform": sorted({row["platform"] for row in kept}),
        "python": sorted({row["python"] for row in kept}),
        "failures": failures(),
        "rows": kept,
    }
    write_whole(RECORD, as_lines(content))


def known(row: str, recorded: dict[str, Any], now: dict[str, str]) -> dict[str, Any]:
    """Of a row's verdicts on record, those whose lock and program are as they were measured."""
    if recorded.get("pins") != pins_of((STACKS / f"{row}.txt").read_text()):
        return {}
    verdicts = recorded["verdicts"].items()
    return {name: said for name, said in verdicts if said["program"] == now.get(name)}


def summary(result: dict[str, Any]) -> str:
    """One line on a row: how many verdicts of each kind, and whether all fixes hold."""
    verdicts = result["verdicts"].items()
    counts = Counter(said["reproduce"]["verdict"] for _, said in verdicts)
    bad = [name for name, said in verdicts if said["fix"]["verdict"] != "ok"]
    words = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
    return f"{words}; {'fix not ok: ' + ', '.join(bad) if bad else 'fixes ok'}"


# --- the program -----------------------------------------------------------------------------


def measure_all(wanted: dict[str, dict[str, str]]) -> Iterator[dict]:
    """Yield the result of each row that has programs to run, as it comes, two at a time."""
    count = len({name for names in wanted.values() for name in names})
    print(f"measuring {count} programs in {len(wanted)} stacks, {JOBS} at a time …", flush=True)
    pool = ThreadPoolExecutor(JOBS)
    try:
        waiting = [pool.submit(measure, row, names) for row, names in wanted.items()]
        for number, future in enumerate(as_completed(waiting), start=1):
            place = f"[{number}/{len(wanted)}]"
            try:
                result = future.result()
            except environments.SetupError as error:
                print(f"{place} {error}", flush=True)
                continue
            row, seconds = result["row"], result["seconds"]
            print(f"{place} {row:<22} {seconds:4} s  {summary(result)}", flush=True)
            yield result
    finally:
        pool.shutdown(cancel_futures=True)


def lay_down() -> None:
    """Lay down the row of the book's own stack: those of its releases that are in its lock."""
    pins = pins_of((ROOT / "requirements.txt").read_text())
    file = STACKS / f"{pins['numpyro']}.in"
    if file.exists() and f"jax=={pins['jax']}\n" not in file.read_text():
        file = STACKS / f"{pins['numpyro']}+jax-{pins['jax']}.in"
    rows = [f"# Python {environments.WANTED}", *(f"{name}=={pins[name]}" for name in PINNED)]
    file.write_text("\n".join(rows) + "\n")


def lock(row: str) -> None:
    """Make the row's lock from its pins; versions that it holds already stay."""
    options = ["--python-version", python_of(row), "--no-header", "--no-annotate"]
    options.append("--generate-hashes")
    paths = [STACKS / f"{row}.in", "-o", STACKS / f"{row}.txt"]
    command = [environments.find_uv(), "pip", "compile", "--quiet", *options, *paths]
    environments.run(*command, cure=f"{row} could not be locked: mend its pins.")


def update(rows: list[str]) -> int:
    """Measure what is missing in some rows, and bring the whole record up to date.

    Returns:
        0 where each row was measured, else 1; where none was, the record stays as it was.
    """
    now, recorded = digests(), read()
    measured: list[str] = []
    for name in recorded:
        recorded[name]["verdicts"] = known(name, recorded[name], now)
    held = {row: recorded.get(row, {}).get("verdicts", {}) for row in rows}
    wanted = {row: {k: v for k, v in now.items() if k not in held[row]} for row in rows}
    wanted = {row: names for row, names in wanted.items() if names}
    for result in measure_all(wanted) if wanted else ():
        found = {**held[result["row"]], **result["verdicts"]}
        result["verdicts"] = {name: found[name] for name in now if name in found}
        if held[result["row"]]:  # the date is that of the whole row
            result["measured"] = recorded[result["row"]]["measured"]
        recorded[result["row"]] = result
        measured.append(result["row"])
        write(recorded)
    if wanted and not measured:
        print("error: no stack was measured, and the record is as it was", file=sys.stderr)
        return 1
    write(recorded)
    whole = sum(len(row["verdicts"]) == len(now) for row in recorded.values())
    print(f"{whole} of {len(row_names())} stacks know all {len(now)} programs", flush=True)
    return int(len(measured) < len(wanted))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; return 0 where all went well."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--rows", help="names of rows, separated by commas (default: all)")
    which.add_argument("--newest", action="store_true", help=f"the newest {NEWEST} rows")
    parser.add_argument("--lock", action="store_true", help="make the locks from the pins")
    options = parser.parse_args(arguments)
    if options.lock and not options.rows:
        lay_down()
    rows = options.rows.split(",") if options.rows else row_names()
    rows = newest_rows() if options.newest else rows
    if unknown := set(rows) - set(row_names()):
        parser.error(f"no such row: {', '.join(sorted(unknown))}")
    if not options.lock:
        return update(rows)
    for row in rows:
        lock(row)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except environments.SetupError as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        print("stopped; the next run goes on from here", file=sys.stderr)
        sys.exit(130)
