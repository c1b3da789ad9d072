"""Examine the models that judge `examine`, and keep what came of each in a row of `rows.jsonl`.

    python -m trials.count                       print how many were found, named, alarmed
    python -m trials.count dose leaf-order       print the reports of these
    python -m trials.count --write [MODEL ...]   examine these, or all, and keep their rows
    python -m trials.count --compare [MODEL ...] print what is said of them otherwise now
    python -m trials.count --of NAME FILE [ARGUMENT ...]  examine the models of a program

A row begins by hand: `of` says who wrote the model and when, `case` is the case or the finding that
it has to be named by, or "whole"; the run adds the rest. A model is `models/NAME.py`, which has
`model`, its `arguments` and `keywords`, and perhaps a `guide`; or a function of `pairs.py`, whose
`case` is found on the old stack only where `of` is "chapters".
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import runpy
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from . import harvest, pairs

MODELS, FILE = (Path(__file__).with_name(name) for name in ("models", "rows.jsonl"))
CURED, OLD_STACK = "-cured", "chapters"
Row = dict[str, Any]


def load() -> list[Row]:
    """Return all rows, in their order."""
    return [json.loads(line) for line in FILE.read_text().splitlines()]


def save(rows: Iterable[Row]) -> None:
    """Write all rows, a line each."""
    FILE.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows))


def made(name: str) -> tuple[Any, tuple, dict[str, Any]] | None:
    """Return a model, its arguments and those of `examine`; None where there is none."""
    if (file := MODELS / f"{name}.py").exists():
        space = runpy.run_path(str(file), run_name=name)
        options = {"guide": space.get("guide"), **space.get("keywords", {})}
        return space["model"], space["arguments"], options
    make = pairs.PAIRS.get(name.removesuffix(CURED))
    return make(name.endswith(CURED)) if make else None


def known() -> dict[str, Row]:
    """Return the rows of the models that stand here, and not in a project of others, by name."""
    return {row["model"]: row for row in load() if "file" not in row}


def answer(examined: Any, seconds: float) -> Row:
    """Return what a report says: under each finding and hint, with its check, its cases."""
    said: Row = {
        kind: {f"{one.check}: {one.id}": list(one.cases) for one in told}
        for kind, told in (("findings", examined.findings), ("hints", examined.hints))
    }
    silent: dict[str, list[str]] = {}
    for skipped in examined.not_run:
        silent.setdefault(skipped.why, []).append(skipped.check)
    said["could_not"] = silent
    return {key: told for key, told in said.items() if told} | {
        "ran": examined.ran, "seconds": round(seconds, 1)
    }  # fmt: skip


def examined(name: str) -> tuple[Any, float]:
    """Return what `examine` says of a model, and the seconds of CPU that it took."""
    from examine_model import examine

    model, args, options = made(name) or sys.exit(f"error: there is no model {name!r}.")
    begun = time.process_time()
    return examine(model, *args, **options), time.process_time() - begun


def asked(name: str) -> Row:
    """Return the answer to a model, or why there is none."""
    try:
        return answer(*examined(name))
    except Exception as error:
        return {"broke": f"{type(error).__name__}: {error}"}


def verdict(case: str, said: Row) -> str:
    """Return in a word or two what an answer says of a model.

    One that is hit is "found" by any finding and "hinted" at by a hint alone. It is "named" if one
    of them names the case, or is the one that was wanted. A whole one is "alarmed" by a finding.
    """
    findings, hints = said.get("findings", {}), said.get("hints", {})
    if not said.get("ran", True) or "broke" in said:
        return "no answer"
    if case == "whole":
        return "alarmed" if findings else "left alone"
    word = "found" if findings else "hinted" if hints else "missed"
    named = any(case == told.rpartition(" ")[2] or case in cases
                for told, cases in (findings | hints).items())  # fmt: skip
    return f"{word}, named" if named else word


def ask(names: Iterable[str]) -> Iterator[tuple[str, Row]]:
    """Examine some models, each in a process of its own, and yield their answers."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["equinox", "examine_model.driver"])
    names = list(names)
    with ProcessPoolExecutor(1, context, max_tasks_per_child=1) as pool:
        yield from zip(names, pool.map(asked, names), strict=True)


def answered(row: Row, said: Row) -> Row:
    """Return a row with another answer; what was written by hand stays."""
    by_hand = {key: row[key] for key in ("of", "file", "model", "case", "before", "script")
               if key in row}  # fmt: skip
    return by_hand | {"said": verdict(row["case"], said)} | said


def write(names: Iterable[str]) -> None:
    """Examine some models, and keep each answer when it is there."""
    for name, said in ask(names):
        save(answered(row, said) if row["model"] == name else row for row in load())


def compare(names: Iterable[str]) -> Iterator[str]:
    """Examine some models, and yield in words what is said otherwise than in their rows."""
    rows = known()
    for name, said in ask(names):
        now, before = verdict(rows[name]["case"], said), rows[name]["said"]
        if now != before:
            yield f"{name}: {now} by examine now, {before} before"


def counts() -> Iterator[str]:
    """Yield how many models of each source were found, and half of them cost how many seconds."""
    for of in dict.fromkeys(row["of"] for row in load()):
        mine = [row for row in load() if row["of"] == of]
        verdicts = Counter(row["said"] for row in mine)
        seconds = statistics.median(row.get("seconds", 0.0) for row in mine)
        yield f"{of}: {len(mine)} models, {dict(verdicts)}, median {seconds:.1f} s"


def keep(of: str, file: str, found: list[Row]) -> None:
    """Put the answers to the models of a program of some project in the place of the old ones."""
    rows = load()
    old = {row["model"]: row for row in rows if (row["of"], row.get("file")) == (of, file)}
    new = {"of": of, "file": file, "case": "whole"}
    rows = [row for row in rows if row is not old.get(row["model"])]
    save(rows + [answered(new | old.get(said["model"], said), said) for said in found])


def main() -> int:
    """Run the program; the status is 1 where `--compare` finds a change."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("models", nargs="*")
    parser.add_argument("--write", action="store_true", help="keep what is said of them")
    parser.add_argument("--compare", action="store_true", help="what is said otherwise now")
    parser.add_argument("--of", nargs=argparse.REMAINDER, metavar=("NAME", "FILE"),
                        help="examine the models of a program, with its arguments")  # fmt: skip
    options = parser.parse_args()
    rows = known()
    names = options.models or [name for name, row in rows.items() if row["of"] != OLD_STACK]
    if options.of:
        of, file, *arguments = options.of
        keep(of, file, harvest.models_of(Path(file).resolve(), arguments))
    elif options.write:
        write(names)
    elif options.compare:
        changed = list(compare(names))
        print("\n".join(changed) or "as recorded")
        return int(bool(changed))
    else:
        for name in options.models:
            print(f"--- {name}: {rows[name]['case']}\n{examined(name)[0]}")
        print("\n".join(() if options.models else counts()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
