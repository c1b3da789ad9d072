"""Examine models that nobody here wrote: those of a checkout's examples, tests and notebooks.

    python -m trials.corpus PATH --name numpyro             the half that may be looked at
    python -m trials.corpus PATH --name numpyro --half aside   the other, at the end
    python -m trials.corpus --table                         the table of what is recorded

`--half all` examines both at once; what is said of the half set aside is not printed then either,
until `--half aside` asks. Each file runs in a process of its own, with a limit of time. A file that
was run is not run again until the checks change. What is found is kept in `corpus/NAME.jsonl`;
`corpus/projects.toml` says where the checkout came from, and `corpus/alarms.toml` explains each
alarm.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import Any

import examine_model

from . import record

ROOT = Path(__file__).resolve().parents[1]
FOLDER = Path(__file__).with_name("corpus")
ALARMS = FOLDER / "alarms.toml"
PROJECTS = FOLDER / "projects.toml"
SECONDS = 900


def programs(checkout: Path) -> list[Path]:
    """Return the scripts, notebooks and tests of a checkout that may hold a model."""
    found = []
    for path in sorted(checkout.rglob("*")):
        if path.suffix not in (".py", ".ipynb") or not path.is_file():
            continue
        parts = path.relative_to(checkout).parts
        if any(part.startswith(".") for part in parts) or path.name.startswith("__"):
            continue
        test = path.name.startswith("test_") or path.name.endswith("_test.py")
        runs = path.suffix == ".ipynb" or test or "examples" in parts or "scripts" in parts
        if runs and "numpyro" in path.read_text(errors="replace"):
            found.append(path)
    return found


def run(path: Path, checkout: Path, python: str, half: str) -> tuple[list[dict], str]:
    """Run one program; return a row for each model, and why there are no more."""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}", "JAX_PLATFORMS": "cpu"}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "rows.jsonl"
        command = [python, "-m", "trials.harvest", str(path), str(out), half]
        try:
            done = subprocess.run(
                command, cwd=checkout, env=environment, capture_output=True, text=True,
                timeout=SECONDS,
            )  # fmt: skip
            lines = (done.stderr or done.stdout).strip().splitlines()
            why = "" if done.returncode == 0 else (lines[-1][:200] if lines else "it failed")
        except subprocess.TimeoutExpired:
            why = f"stopped after {SECONDS} s"
        rows = [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []
    for row in rows:
        row["file"] = str(Path(row["file"]).relative_to(checkout))
    return rows, why


def is_alarm(row: dict) -> bool:
    """Tell whether a model was alarmed."""
    return bool(row.get("findings"))


def load() -> list[dict]:
    """Return the recorded rows of all checkouts, each with its `project`."""
    rows = []
    for file in sorted(FOLDER.glob("*.jsonl")):
        for line in file.read_text().splitlines():
            row = json.loads(line)
            if "model" in row:
                rows.append({"project": file.stem, **row})
    return rows


def code() -> str:
    """Return a hash of the checks, which each row of the record has."""
    files = sorted(Path(examine_model.__path__[0]).rglob("*.py"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]


def keep(record: Path, rows: list[dict]) -> None:
    """Put the rows of one file into a record, in place of older ones of the same models."""
    lines = record.read_text().splitlines() if record.exists() else []
    new = {(row["file"], row.get("model"), row["half"]) for row in rows}
    old = [
        row for row in map(json.loads, lines)
        if (row["file"], row.get("model"), row["half"]) not in new
    ]  # fmt: skip
    text = "".join(json.dumps(row, sort_keys=True) + "\n" for row in [*old, *rows])
    half = record.with_suffix(".part")
    half.write_text(text)
    half.replace(record)


def projects() -> dict[str, dict]:
    """Return the entries of `projects.toml` by name: repository and commit."""
    return tomllib.loads(PROJECTS.read_text())


def explanations() -> list[dict]:
    """Return the entries of `alarms.toml`: project, file, model, kind and why."""
    return tomllib.loads(ALARMS.read_text()).get("alarm", []) if ALARMS.exists() else []


def explained(row: dict) -> dict | None:
    """Return what `alarms.toml` says of an alarmed model."""
    for entry in explanations():
        same = (entry["project"], entry["file"]) == (row["project"], row["file"])
        if same and entry["model"] == row["model"]:
            return entry
    return None


def summary(rows: list[dict]) -> dict[str, dict]:
    """Return the numbers of each project, and of all under "all"."""
    found: dict[str, dict] = {}
    for name in [*sorted({row["project"] for row in rows}), "all"]:
        mine = [row for row in rows if name in (row["project"], "all")]
        answered = [row for row in mine if row.get("ran")]
        alarms = [row for row in answered if is_alarm(row)]
        kinds = [(explained(row) or {}).get("kind", "unexplained") for row in alarms]
        seconds = sorted(row["seconds"] for row in answered)
        ratios = [row["seconds"] / row["gradient"] for row in answered if row.get("gradient")]
        found[name] = {
            "models": len(answered),
            "aside": sum(row["half"] == "aside" for row in answered),
            "no answer": len(mine) - len(answered),
            **{
                kind: kinds.count(kind) for kind in ("defect", "deliberate", "false", "unexplained")
            },
            "median_seconds": round(statistics.median(seconds), 2) if seconds else None,
            "costed": len(ratios),
            "ratio": round(statistics.median(ratios), 2) if ratios else None,
            "largest_ratio": round(max(ratios), 2) if ratios else None,
        }
    return found


def for_the_record() -> dict[str, Any]:
    """Return the parts of the record that are about other people's models."""
    others, known = summary(load()), projects()
    for name, row in known.items():
        others[name]["repository"] = row["repository"]
    return {"others": others, "alarms": explanations()}


def table() -> str:
    """Return the record as a table."""
    rows = summary(load())
    columns = list(next(iter(rows.values()), {}))
    lines = [" ".join(f"{head:>14}" for head in ["project", *columns])]
    for name, row in rows.items():
        lines.append(" ".join(f"{row.get(head, name)!s:>14}" for head in ["project", *columns]))
    return "\n".join(lines)


def main() -> int:
    """Run the program; the status is 1 where an alarm is not explained."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("checkout", nargs="?", type=Path)
    parser.add_argument("--name", help="what the project is called in the record")
    parser.add_argument("--half", choices=["seen", "aside", "all"], default="seen")
    parser.add_argument("--python", default=sys.executable, help="with what the programs import")
    parser.add_argument("--only", default="", help="files whose path holds this")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    if options.checkout:
        checkout = options.checkout.resolve()
        FOLDER.mkdir(exist_ok=True)
        file = FOLDER / f"{options.name or checkout.name}.jsonl"
        lines = file.read_text().splitlines() if file.exists() else []
        now, lock = code(), Lock()
        done = {
            (row["file"], row["half"]) for row in map(json.loads, lines)
            if "why" in row and row.get("code") == now
        }  # fmt: skip
        found = [path for path in programs(checkout) if options.only in str(path)]
        missing = [
            path for path in found
            if (str(path.relative_to(checkout)), options.half) not in done
        ]  # fmt: skip

        def one(path: Path) -> None:
            begun = time.monotonic()
            rows, why = run(path, checkout, options.python, options.half)
            name = str(path.relative_to(checkout))
            rows.append({"file": name, "half": options.half, "why": why})
            with lock:
                keep(file, [{**row, "code": now} for row in rows])
            alarms = sum(is_alarm(row) and row["half"] != "aside" for row in rows)
            took = time.monotonic() - begun
            print(f"{name}: {len(rows) - 1} models, {alarms} alarms, {took:.0f} s {why[:90]}",
                  flush=True)  # fmt: skip

        with ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(one, missing))
    record.keep(**for_the_record())
    rows = load()
    print(table())
    shown = {"seen", "aside"} if options.half == "aside" else {"seen"}
    open_ones = [
        row for row in rows if is_alarm(row) and not explained(row) and row["half"] in shown
    ]
    for row in open_ones:
        for found in row["findings"]:
            print(f"{row['project']} {row['file']} {row['model']}\n  {found}")
    return int(bool(open_ones))


if __name__ == "__main__":
    sys.exit(main())
