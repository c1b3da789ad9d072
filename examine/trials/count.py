"""Examine sixty models that were written by somebody who had not read the checks.

    python -m trials.count                      print the counts that are kept
    python -m trials.count --write after        examine all, and keep the rows as "after"
    python -m trials.count dose isotopes        print the reports of these

`fresh/` has a file for each model: `model`, its `arguments` and `keywords`, perhaps a `guide`. In
one that is hit, `shown` returns what it computes and what it should. `fresh/table.toml` says which
case each is hit by, or "whole"; `fresh/counts.json` has what came of it.
"""

from __future__ import annotations

import argparse
import json
import runpy
import statistics
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).with_name("fresh")
KEPT = FOLDER / "counts.json"


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
    """Return what came of a model, as data; it runs in a process of its own."""
    command = [sys.executable, "-m", "trials.count", "--row", name]
    done = subprocess.run(command, capture_output=True, text=True, cwd=FOLDER.parents[1])
    if done.returncode:
        return {"broke": done.stderr.strip().splitlines()[-1]}
    return json.loads(done.stdout.splitlines()[-1])


def as_data(name: str) -> dict[str, Any]:
    """Examine a model; return the cases of each finding by id, and what could not be compared."""
    report, seconds = examined(name)
    said = {
        kind: {found.id: list(found.cases) for found in rows}
        for kind, rows in (("findings", report.findings), ("hints", report.hints))
    }
    could_not = {row.check: row.why for row in report.not_run}
    return {**said, "could_not": could_not, "seconds": round(seconds, 2)}


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
    return {
        "hit": len(hit),
        "found": len({*named, *(name for name in hit if hit[name].get("findings"))}),
        "named": len(named),
        "first": sum(any(found[:1] == [cases[name]] for found in told[name]) for name in named),
        "whole": len(rows) - len(hit),
        "alarmed": sorted(n for n in rows if n not in hit and rows[n].get("findings")),
        "not named": sorted(set(hit) - set(named)),
        "could not": sorted(n for n in rows if "broke" in rows[n] or rows[n]["could_not"]),
        "median seconds": statistics.median(row.get("seconds", 0.0) for row in rows.values()),
    }


def main() -> int:
    """Run the program."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("models", nargs="*")
    parser.add_argument("--write", metavar="WHEN", help="examine all, and keep the rows")
    parser.add_argument("--row", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.row:
        print(json.dumps(as_data(options.row)))
        return 0
    for name in options.models:
        print(f"--- {name}: {table()[name]}\n{examined(name)[0]}")
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    if options.write:
        kept[options.write] = {name: row(name) for name in table()}
        lines = [
            f' "{when}": {{\n' + ",\n".join(f'  "{n}": {json.dumps(r)}' for n, r in rows.items())
            + "\n }" for when, rows in kept.items()
        ]  # fmt: skip
        KEPT.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    for when, rows in {} if options.models else kept.items():
        print(when, json.dumps(summary(rows), indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
