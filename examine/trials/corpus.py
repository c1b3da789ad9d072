"""Examine models that nobody here wrote: those of a checkout's examples, tests and notebooks.

    python -m trials.corpus PATH --name numpyro           run its programs, keep what came of them
    python -m trials.corpus PATH --under examples         run those of this folder again
    python -m trials.corpus                               the table of what is kept

Each file runs in a process of its own, with a limit of time. What is found is kept in
`corpus/NAME.jsonl`; `corpus/projects.toml` says where the checkout came from and with which
arguments its scripts run, and `corpus/alarms.toml` explains each alarm.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

from . import load_record, write_record
from .harvest import is_test

ROOT = Path(__file__).resolve().parents[1]
FOLDER = Path(__file__).with_name("corpus")
SECONDS = 900
MAIN = re.compile(r"^if __name__ == .__main__.:", re.MULTILINE)
"""What a program has that is run by itself, wherever it stands."""
KINDS = ("defect", "deliberate", "false", "unexplained")


def programs(checkout: Path) -> list[Path]:
    """Return the scripts, notebooks and tests of a checkout that may hold a model."""
    found = []
    for path in sorted(checkout.rglob("*")):
        if path.suffix not in (".py", ".ipynb") or not path.is_file():
            continue
        parts = path.relative_to(checkout).parts
        if any(part.startswith(".") for part in parts) or path.name.startswith("__"):
            continue
        text = path.read_text(errors="replace")
        is_script = {"examples", "scripts"} & {*parts} or MAIN.search(text)
        if (path.suffix == ".ipynb" or is_test(path) or is_script) and "numpyro" in text:
            found.append(path)
    return found


def run(path: Path, checkout: Path, *arguments: str) -> list[dict]:
    """Run one program; return a row for each model, and one without a model if it was stopped."""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}", "JAX_PLATFORMS": "cpu"}
    name = str(path.relative_to(checkout))
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "rows.jsonl"
        command = [sys.executable, "-m", "trials.harvest", str(path), str(out), *arguments]
        try:
            done = subprocess.run(
                command, cwd=checkout, env=environment, capture_output=True, text=True,
                timeout=SECONDS,
            )  # fmt: skip
            lines = (done.stderr or done.stdout or "it failed").strip().splitlines()
            why = "" if done.returncode == 0 else lines[-1][:200]
        except subprocess.TimeoutExpired:
            why = f"stopped after {SECONDS} s"
        rows = [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []
    rows = [{**row, "file": name} for row in rows]
    return [*rows, {"file": name, "why": why}] if why else rows


def harvest(checkout: Path, name: str, under: tuple[str, ...]) -> None:
    """Run the programs of a checkout, or those in some folders, and keep what came of each."""
    ways = projects().get(name, {}).get("arguments", {})
    kept = FOLDER / f"{name}.jsonl"
    for path in programs(checkout):
        file = str(path.relative_to(checkout))
        if not file.startswith(under or ""):
            continue
        rows: dict[str, dict] = {}
        for arguments in ways.get(file, [""]):
            for row in run(path, checkout, *arguments.split()):
                rows.setdefault(row.get("model", "none"), row)
        lines = kept.read_text().splitlines() if kept.exists() else []
        lines = [line for line in lines if json.loads(line)["file"] != file]
        lines += [json.dumps(row, sort_keys=True) for row in rows.values()]
        kept.write_text("".join(f"{line}\n" for line in lines))
        print(file, len(rows), flush=True)


def load() -> list[dict]:
    """Return the kept rows of all checkouts that are models, each with its `project`."""
    lines = [(file.stem, line) for file in sorted(FOLDER.glob("*.jsonl"))
             for line in file.read_text().splitlines()]  # fmt: skip
    rows = [{"project": project, **json.loads(line)} for project, line in lines]
    return [row for row in rows if "model" in row]


def projects() -> dict[str, dict]:
    """Return the entries of `projects.toml` by name: repository and commit."""
    return tomllib.loads((FOLDER / "projects.toml").read_text())


def explanations() -> list[dict]:
    """Return the entries of `alarms.toml`: project, file, model, kind and why."""
    return tomllib.loads((FOLDER / "alarms.toml").read_text()).get("alarm", [])


def kind(row: dict) -> str:
    """Return what `alarms.toml` says an alarm is."""
    keys = ("project", "file", "model")
    known = {tuple(entry[key] for key in keys): entry["kind"] for entry in explanations()}
    return known.get(tuple(row[key] for key in keys), "unexplained")


def summary(rows: list[dict]) -> dict[str, dict]:
    """Return the numbers of each project, and of all under "all"."""
    found: dict[str, dict] = {}
    for name in [*sorted({row["project"] for row in rows}), "all"]:
        mine = [row for row in rows if name in (row["project"], "all")]
        answered = [row for row in mine if row.get("ran")]
        alarms = [kind(row) for row in answered if row["findings"]]
        seconds = [row["seconds"] for row in answered]
        found[name] = {
            "models": len(answered),
            "no answer": len(mine) - len(answered),
            **{each: alarms.count(each) for each in KINDS},
            "ran": Counter(check for row in answered for check in row["ran"]),
            "median_seconds": round(statistics.median(seconds), 2) if seconds else None,
        }
    return found


def for_the_record() -> dict[str, Any]:
    """Return the parts of the record that are about other people's models."""
    others = summary(load())
    for name, row in projects().items():
        others[name]["repository"] = row["repository"]
    return {"others": others, "alarms": explanations()}


def main() -> int:
    """Run the program; the status is 1 where an alarm is not explained."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("checkout", nargs="?", type=Path)
    parser.add_argument("--under", nargs="*", default=(), help="only what stands in these folders")
    parser.add_argument("--name", help="what the project is called in the record")
    options = parser.parse_args()
    if options.checkout:
        checkout = options.checkout.resolve()
        harvest(checkout, options.name or checkout.name, tuple(options.under))
    write_record(**for_the_record())
    for name, row in load_record()["others"].items():
        print(name, row)
    alarms = [row for row in load() if row.get("findings") and kind(row) == "unexplained"]
    for row in alarms:
        print(row["project"], row["file"], row["model"], *row["findings"], sep="\n  ")
    return int(bool(alarms))


if __name__ == "__main__":
    sys.exit(main())
