"""Examine two sixties of models that were written for this, and the pairs.

    python -m trials.count                      print the counts that are kept
    python -m trials.count --write after        examine those that have no row in "after" yet
    python -m trials.count --compare            examine all, and print what is said otherwise now
    python -m trials.count dose h08 leaf-order  print the reports of these

`fresh/` has a file for each of the first sixty: `model`, its `arguments` and `keywords`, perhaps a
`guide`. In one that is hit, `shown` returns what it computes and what it should. `fresh/table.toml`
says which case each is hit by, or "whole"; `fresh/before.jsonl` has what came of them before
anything was mended for them, and `fresh/after.jsonl` afterwards, with what came of `pairs.py`.
`second/` has `model` and `args` of sixty more, written before the check `slope` and what came with
it, by somebody who had not read the checks; its files are of the same form.
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
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from examine_model.report import IDS

from . import pairs, write_record

FOLDER, SECOND = (Path(__file__).with_name(name) for name in ("fresh", "second"))
CURED = "-cured"
CHECK = {name: check for check, names in IDS.items() for name in names}
"""The check of each id."""


def table() -> dict[str, str]:
    """Return the case of each of the first sixty, or "whole"."""
    return tomllib.loads((FOLDER / "table.toml").read_text())


def cases() -> dict[str, str]:
    """Return the case of all models, those of the pairs too; a cured one is whole."""
    return {**table(), **{name: name for name in pairs.PAIRS},
            **{name + CURED: "whole" for name in pairs.PAIRS}}  # fmt: skip


def of_second() -> dict[str, dict[str, Any]]:
    """Return of each of the second sixty its `kind`, `what` is wrong, and `script`."""
    return tomllib.loads((SECOND / "table.toml").read_text())


def every() -> dict[str, str]:
    """Return the case of each model, and the kind of one of the second sixty."""
    return cases() | {name: row["kind"] for name, row in of_second().items()}


def made(name: str) -> pairs.Examined:
    """Return a model and what it is examined with."""
    if name in of_second():
        space = runpy.run_path(str(SECOND / f"{name}.py"), run_name=name)
        return pairs.Examined(space["model"], space["args"])
    if name in table():
        space = runpy.run_path(str(FOLDER / f"{name}.py"), run_name=name)
        options = {"guide": space.get("guide"), **space.get("keywords", {})}
        return pairs.Examined(space["model"], space["arguments"], options)
    return pairs.PAIRS[name.removesuffix(CURED)](name.endswith(CURED))


def examined(name: str) -> tuple[Any, float]:
    """Return what `examine` says of a model, and the seconds of CPU that it took."""
    from examine_model import examine

    model, args, options = made(name)
    begun = time.process_time()
    report = examine(model, *args, **options)
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


def count(names: Iterable[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Examine some models, each in a process of its own, and yield their rows."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["equinox", "examine_model.driver"])
    names = list(names)
    with ProcessPoolExecutor(1, context, max_tasks_per_child=1) as pool:
        yield from zip(names, pool.map(row, names), strict=True)


def load(when: str, folder: Path = FOLDER) -> dict[str, dict]:
    """Return the rows that are kept of some count, by model."""
    file = folder / f"{when}.jsonl"
    lines = file.read_text().splitlines() if file.exists() else []
    return {found["model"]: found for found in map(json.loads, lines)}


def told(row: dict[str, Any]) -> list[list[str]]:
    """Return the cases that each finding and each hint of a row names."""
    return [*row.get("findings", {}).values(), *row.get("hints", {}).values()]


def verdict(name: str, row: dict[str, Any]) -> str:
    """Return in a word what a row says of a model.

    One that is hit is "named" if a finding or a hint names its case, or else "found" if there is a
    finding, as hints are said of whole models too. One that is whole is "alarmed" by any finding.
    """
    case = every()[name]
    if "broke" in row:
        return "broken"
    if case == "whole":
        return "alarmed" if row["findings"] else "left alone"
    if any(case in named for named in told(row)):
        return "named"
    return "found" if row["findings"] else "missed"


def summary(rows: dict[str, dict]) -> dict[str, Any]:
    """Return the counts of the sixty: names of models, and the median of the seconds."""
    known = table()
    rows = {name: row for name, row in rows.items() if name in known}
    said = {name: verdict(name, row) for name, row in rows.items()}
    hit = [name for name in rows if known[name] != "whole"]
    seconds = [row["seconds"] for row in rows.values() if "seconds" in row]
    return {
        "hit": len(hit),
        "found": sum(said[name] in ("named", "found") for name in hit),
        "named": sum(said[name] == "named" for name in hit),
        "whole": len(rows) - len(hit),
        "alarmed": sorted(name for name in rows if said[name] == "alarmed"),
        "not named": sorted(name for name in hit if said[name] != "named"),
        "could not": sorted(name for name in rows if rows[name].get("could_not", True)),
        "median seconds": statistics.median(seconds or [0.0]),
    }


def sixties() -> dict[str, dict[str, dict[str, Any]]]:
    """Return of each sixty, before and after, how many models were found, and how many alarmed."""
    of_first = {name: "whole" if case == "whole" else "hit" for name, case in table().items()}
    of_last = {name: row["kind"] for name, row in of_second().items()}
    found = {
        name: {when: counts(kinds, load(when, folder)) for when in ("before", "after")}
        for name, kinds, folder in (("first", of_first, FOLDER), ("second", of_last, SECOND))
    }  # fmt: skip
    by_script = {
        name: {"findings": row["script"], "hints": {}} for name, row in of_second().items()
    }
    return found | {"script": {"after": counts(of_last, by_script)}}


def counts(kinds: dict[str, str], rows: dict[str, dict]) -> dict[str, Any]:
    """Return how many models that are hit were found, and how many whole ones alarmed."""
    hit, whole = ([rows[name] for name, of in kinds.items() if of == kind]
                  for kind in ("hit", "whole"))  # fmt: skip
    seconds = [rows[name]["seconds"] for name in kinds if "seconds" in rows[name]]
    return {
        "hit": len(hit),
        "found": sum(bool(row["findings"]) for row in hit),
        "hinted": sum(bool(row["hints"] and not row["findings"]) for row in hit),
        "whole": len(whole),
        "alarmed": sum(bool(row["findings"]) for row in whole),
        "seconds": round(statistics.median(seconds), 1) if seconds else None,
    }


def by_case(rows: dict[str, dict]) -> dict[str, dict[str, list[str]]]:
    """Return the checks that name each case, in a model that is hit: by findings, and by hints."""
    found: dict[str, dict[str, list[str]]] = {}
    for name, case in cases().items():
        if case == "whole" or name not in rows:
            continue
        kept = found.setdefault(case, {"found": [], "hinted": []})
        for kind, known in (("findings", kept["found"]), ("hints", kept["hinted"])):
            checks = {CHECK[of] for of, named in rows[name].get(kind, {}).items() if case in named}
            known += sorted(checks - set(known))
    return found


def changes(now: Iterable[tuple[str, dict[str, Any]]]) -> Iterator[str]:
    """Yield in words what is said otherwise than in "after", as on another release."""
    before = load("after") | load("after", SECOND)
    for name, found in now:
        here, there = verdict(name, found), verdict(name, before[name])
        if here != there:
            yield f"{name}: {here} by examine now, {there} before"


def main() -> int:
    """Run the program; the status is 1 where `--compare` finds a change."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("models", nargs="*")
    parser.add_argument("--write", metavar="WHEN", help="keep the rows under this name")
    parser.add_argument("--compare", action="store_true", help="what is said otherwise now")
    options = parser.parse_args()
    for name in options.models:
        print(f"--- {name}: {every()[name]}\n{examined(name)[0]}")
    if options.compare:
        changed = list(changes(count(every())))
        print("\n".join(changed) or "as recorded")
        return int(bool(changed))
    if options.write:
        for folder, names in ((FOLDER, cases()), (SECOND, of_second())):
            kept = load(options.write, folder)
            for name, found in count(name for name in names if name not in kept):
                with (folder / f"{options.write}.jsonl").open("a") as file:
                    file.write(json.dumps({"model": name, **found}) + "\n")
        write_record(cases=by_case(load("after")), not_applicable=pairs.NOT_APPLICABLE)
        write_record(sixties=sixties())
    for when in () if options.models else ("before", "after"):
        print(when, json.dumps(summary(load(when)), indent=1))
    if not options.models:
        print(json.dumps(sixties(), indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
