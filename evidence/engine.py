"""One engine for all that is measured: programs of a kind are run on stacks, and rows are kept.

A row says what became of one program on one stack. It is a line of `evidence/rows/KIND.jsonl`:
`program`, `stack`, `date` and `machine`, then what was found; `of` and `on` are digests of the
program and of what the stack holds. A row is known while these two are as they were, so only what
is new or changed runs, in a fresh clone too. Rows are written as soon as a stack is measured.
"""

import datetime
import difflib
import hashlib
import json
import os
import platform
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bookkit import entries, pages
from evidence import stacks
from tools import environments

ROWS = pages.ROOT / "evidence" / "rows"
JOBS = 2
Row = dict[str, Any]
Key = tuple[str, str]  # a program and a stack


@dataclass(frozen=True)
class Kind:
    """A kind of program: which there are, where they run, how, and what a row says in brief."""

    name: str
    programs: Callable[[], dict[str, Any]]  # what is run, by name, as JSON can have it
    stacks: Callable[[str, Any], list[str]]  # on which stacks a program is run
    run: Callable[[Path, dict[str, Any]], Iterable[tuple[str, Row]]]  # by an interpreter
    brief: Callable[[Row], str]  # to tell what changed
    attention: Callable[[str, Row], list[str]] = lambda name, row: []  # what a person should read
    meaning: int = 1  # raise it when a row means something else, and all are measured again

    def update(self, only: Iterable[str] = (), names: Iterable[str] = ()) -> int:
        """Measure what is missing on some stacks, or on all; see `update`."""
        return update(self, only, names)


def digest(value: object) -> str:
    """Return a digest of a value, the same for the same value."""
    return hashlib.sha256(entries.as_json(value).encode()).hexdigest()[:16]


def read(kind: Kind) -> dict[Key, Row]:
    """Return the rows on record; none where there is no such file."""
    file = ROWS / f"{kind.name}.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return {(row["program"], row["stack"]): row for row in map(json.loads, lines)}


def write(kind: Kind, rows: dict[Key, Row]) -> None:
    """Write rows in the order of the programs and of their stacks, the whole file or nothing."""
    order = {key: place for place, key in enumerate(wanted(kind))}
    in_order = sorted(rows.items(), key=lambda row: order.get(row[0], len(order)))
    write_lines(kind.name, [row for _, row in in_order])


def write_lines(name: str, rows: Iterable[Row]) -> None:
    """Write a file of rows, which is there whole or not at all."""
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    file = ROWS / f"{name}.jsonl"
    part = file.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    part.replace(file)


def wanted(kind: Kind) -> dict[Key, tuple[Any, str, str]]:
    """Return what there should be: each program on each of its stacks, with both digests."""
    on: dict[str, str] = {}
    expected = {}
    for name, program in kind.programs().items():
        of = digest([kind.meaning, program])
        for stack in kind.stacks(name, program):
            on.setdefault(stack, digest(stacks.contents(stack)))
            expected[name, stack] = program, of, on[stack]
    return expected


def is_known(row: Row | None, of: str, on: str) -> bool:
    """Tell whether a row is about a program and a stack as they are."""
    return row is not None and (row["of"], row["on"]) == (of, on)


def today() -> str:
    """Return the day, as 2026-11-26."""
    return datetime.datetime.now(datetime.UTC).date().isoformat()


def measure(kind: Kind, stack: str, missing: dict[str, tuple[Any, str, str]]) -> list[Row]:
    """Install a stack, run programs on it, and return their rows."""
    fixed = {
        "stack": stack,
        "date": today(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
    }
    with stacks.installed(stack) as python:
        outcomes = kind.run(python, {name: program for name, (program, _, _) in missing.items()})
        return [
            {"program": name, "of": missing[name][1], "on": missing[name][2], **fixed, **outcome}
            for name, outcome in outcomes
        ]


def measure_all(kind: Kind, missing: dict[str, dict]) -> Iterator[list[Row]]:
    """Yield the rows of each stack that has something to run, as they come, two at a time."""
    count = len({name for programs in missing.values() for name in programs})
    print(f"{kind.name}: measuring {count} programs on {len(missing)} stacks …", flush=True)
    pool = ThreadPoolExecutor(JOBS)
    try:
        waiting = {pool.submit(measure, kind, *job): job[0] for job in missing.items()}
        for number, future in enumerate(as_completed(waiting), start=1):
            place = f"[{number}/{len(missing)}] {waiting[future]}"
            try:
                rows = future.result()
            except environments.SetupError as error:
                print(f"{place}: {error}", flush=True)
                continue
            print(f"{place}: {len(rows)} rows", flush=True)
            yield rows
    finally:
        pool.shutdown(cancel_futures=True)


def update(kind: Kind, only: Iterable[str] = (), names: Iterable[str] = ()) -> int:
    """Measure what is missing, and bring the record up to date.

    Args:
        kind: the kind of program.
        only: on these stacks alone; on all, if none is named.
        names: these programs alone; all, if none is named.

    Returns:
        0, 1 where a row wants attention, or 2 where a stack was not measured. Rows of programs that
        are gone, or were changed, leave the record only where something was measured.
    """
    expected, rows = wanted(kind), read(kind)
    there = {name for name, _ in expected}, {stack for _, stack in expected}
    unknown = False
    for asked, has in zip((names, only), there, strict=True):
        for name in sorted({*asked} - has):
            unknown = True
            near = difflib.get_close_matches(name, has, n=3)
            hint = f": did you mean {' or '.join(near)}?" if near else ""
            print(f"error: {kind.name}: nothing is measured of {name!r}{hint}", file=sys.stderr)
    known = {
        key: row
        for key, row in rows.items()
        if key in expected and is_known(row, *expected[key][1:])
    }
    missing: dict[str, dict] = {}
    for (name, stack), what in expected.items():
        if (name, stack) not in known and stack in (only or [stack]) and name in (names or [name]):
            missing.setdefault(stack, {})[name] = what
    measured, new = 0, set()
    for new_rows in measure_all(kind, missing) if missing else ():
        measured += 1
        known |= {(row["program"], row["stack"]): row for row in new_rows}
        new |= {row["program"] for row in new_rows}
        write(kind, known)
    if missing and not measured:
        print(
            f"error: {kind.name}: nothing was measured; its rows are as they were", file=sys.stderr
        )
        return 2
    if known != rows:
        write(kind, known)
    for line in changes(kind, known, new, rows):
        print(line)
    print(f"{kind.name}: {len(known)} of {len(expected)} rows are known", flush=True)
    bad = [line for (name, _), row in known.items() for line in kind.attention(name, row)]
    for line in bad:
        print(f"  read {line}")
    return 2 if unknown or measured < len(missing) else int(bool(bad))


def changes(
    kind: Kind, rows: dict[Key, Row], names: Iterable[str], before: dict[Key, Row]
) -> list[str]:
    """Return in lines what some programs do otherwise on their newest stack.

    Otherwise than that stack did when it was measured before, as the book's own does once it has
    other releases; else than the stack before it.
    """
    lines, programs = [], kind.programs()
    for name, program in ((name, programs[name]) for name in sorted(names)):
        has = [rows[name, stack] for stack in kind.stacks(name, program) if (name, stack) in rows]
        old = [before[name, row["stack"]] for row in has[-1:] if (name, row["stack"]) in before]
        old = old or has[-2:-1]
        if old:
            was, is_now = (" ".join(kind.brief(row).split())[:80] for row in (old[0], has[-1]))
            if was != is_now:
                lines.append(f"  {name}: was {was}, is {is_now} on {has[-1]['stack']}")
    return lines
