"""Count a second sixty, written before the third edition by somebody who had not read the checks.

    python -m trials.second                     print the counts that are kept
    python -m trials.second h08 w18             print the reports of these

`second/` has a file for each: `model` and its `args`. `second/rows.jsonl` says of each what is
wrong with it, whether it is "hit", "whole", or "loud" if it raises by itself, and what came of it
in the edition before, in this one, and in a script of 48 lines that compares slopes, counts NaN
and rows, and looks for data. Thirty were meant to be hit: four are loud, and two turned out whole.
"""

from __future__ import annotations

import json
import runpy
import statistics
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).with_name("second")


def rows() -> list[dict[str, Any]]:
    """Return what is kept of each model."""
    return [json.loads(line) for line in (FOLDER / "rows.jsonl").read_text().splitlines()]


def counts() -> dict[str, dict[str, Any]]:
    """Return by kind how many there are, and how many each way to look found or hinted at."""
    found: dict[str, dict[str, Any]] = {}
    for kind in ("hit", "whole", "loud"):
        mine = [row for row in rows() if row["kind"] == kind]
        found[kind] = {"models": len(mine), "script": sum(map(by_script, mine))}
        for when in ("before", "after"):
            said = [row[when] for row in mine]
            found[kind][when] = {
                "found": sum(bool(row["findings"]) for row in said),
                "hinted": sum(bool(row["hints"] and not row["findings"]) for row in said),
                "median seconds": statistics.median(row["seconds"] for row in said),
            }
    return found


def by_script(row: dict[str, Any]) -> bool:
    """Tell whether the script says anything of a model."""
    return any(not says.startswith("could not") for says in row["script"] or [])


if __name__ == "__main__":
    for name in sys.argv[1:]:
        from examine_model import examine

        space = runpy.run_path(str(FOLDER / f"{name}.py"), run_name=name)
        print(f"--- {name}\n{examine(space['model'], *space['args'])}")
    if not sys.argv[1:]:
        print(json.dumps(counts(), indent=1))
