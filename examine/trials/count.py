"""Examine sixty models that were written by somebody who had not read the checks.

    python -m trials.count                      print the counts that are kept
    python -m trials.count --write after        examine those that have no row in "after" yet
    python -m trials.count dose isotopes        print the reports of these

`fresh/` has a file for each model: `model`, its `arguments` and `keywords`, perhaps a `guide`. In
one that is hit, `shown` returns what it computes and what it should. `fresh/table.toml` says which
case each is hit by, or "whole"; `fresh/before.jsonl` has what came of them before anything was
mended for them, and `fresh/after.jsonl` afterwards.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import runpy
import statistics
import sys
import time
import tomllib
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).with_name("fresh")


def table() -> dict[str, str]:
    """Return the case of each model, or "whole"."""
    return tomllib.loads((FOLDER / "table.toml").read_text())


def examined(name: str) -> tuple[Any, float]:
    """Return what `examine` says of a model, and the seconds of CPU that it took."""
    from examine_model import examine

    made = runpy.run_path(str(FOLDER / f"{name}.py"), run_name=name)
    begun = time.process_time()
    report = examine(
        made["model"], *made["arguments"], guide=made.get("guide"), **made.get("keywords", {})
    )
    return report, time.process_time() - begun


def row(name: str) -> dict[str, Any]:
    """Examine a model; return the cases of each finding by id, and what could not be compared."""
    try:
        report, seconds = examined(name)
    except Exception as error:
        return {"broke": f"{type(error).__name__}: {error}"}
    said = {
        kind: {found.id: list(found.cases) for found in rows}
        for kind, rows in (("findings", report.findings), ("hints", report.hints))
    }
    could_not = {row.check: row.why for row in report.not_run}
    return {**said, "could_not": could_not, "seconds": round(seconds, 2)}


def count(when: str) -> None:
    """Examine all models that have no row yet, each in a process of its own, and keep the rows."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["equinox", "examine_model.driver"])
    left = [name for name in table() if name not in load(when)]
    with ProcessPoolExecutor(1, context, max_tasks_per_child=1) as pool:
        for name, found in zip(left, pool.map(row, left), strict=True):
            with (FOLDER / f"{when}.jsonl").open("a") as file:
                file.write(json.dumps({"model": name, **found}) + "\n")


def load(when: str) -> dict[str, dict]:
    """Return the rows that are kept of some count, by model."""
    file = FOLDER / f"{when}.jsonl"
    lines = file.read_text().splitlines() if file.exists() else []
    return {found["model"]: found for found in map(json.loads, lines)}


def summary(rows: dict[str, dict]) -> dict[str, Any]:
    """Return the counts: names of models, and the median of the seconds.

    A model is `found` if anything is said of it that is not said of whole models as a matter of
    course: a finding, or a hint that names its case. It is `named` if a finding or a hint names the
    case, and named `first` if that case stands first.
    """
    cases = table()
    hit = {name: rows[name] for name in rows if cases[name] != "whole"}
    told = {name: [*row.get("findings", {}).values(), *row.get("hints", {}).values()]
            for name, row in rows.items()}  # fmt: skip
    named = [name for name in hit if any(cases[name] in found for found in told[name])]
    seconds = [row["seconds"] for row in rows.values() if "seconds" in row]
    return {
        "hit": len(hit),
        "found": len({*named, *(name for name in hit if hit[name].get("findings"))}),
        "named": len(named),
        "first": sum(any(found[:1] == [cases[name]] for found in told[name]) for name in named),
        "whole": len(rows) - len(hit),
        "alarmed": sorted(n for n in rows if n not in hit and rows[n].get("findings")),
        "not named": sorted(set(hit) - set(named)),
        "could not": sorted(n for n in rows if "broke" in rows[n] or rows[n]["could_not"]),
        "median seconds": statistics.median(seconds or [0.0]),
    }


def main() -> int:
    """Run the program."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("models", nargs="*")
    parser.add_argument("--write", metavar="WHEN", help="keep the rows under this name")
    options = parser.parse_args()
    for name in options.models:
        print(f"--- {name}: {table()[name]}\n{examined(name)[0]}")
    if options.write:
        count(options.write)
    for when in () if options.models else ("before", "after"):
        print(when, json.dumps(summary(load(when)), indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
