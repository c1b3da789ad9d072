"""Measure the table *Can I use it?*: the cells that the record lacks, one row after another.

    python -m can_i_use                          on this stack
    python -m can_i_use --rows 0.19.0,0.16.1     on stacks of the version matrix
    python -m can_i_use --check 50               cells drawn by the day, against the record

A row is written as soon as it is measured, so a next run goes on from there. The exit status is 1
where `--check` finds a cell that is not as the record has it.
"""

import argparse
import datetime
import json
import os
import random
import subprocess
import sys
import tempfile
import warnings
from importlib.metadata import version

from can_i_use import record

ROOT = record.FOLDER.parent


def cell(law, construct):
    """Return the letter of a cell, and what it said."""
    from can_i_use import constructs, ways

    try:
        found = getattr(constructs, construct)(law)
        if ways.right(*found):
            return "r", ""
        return "W", " against ".join(map(ways.first, found[:2]))
    except ways.No:
        return "-", ""
    except Exception as error:
        words = (str(error).splitlines() or [""])[0].replace(str(ROOT), ".")
        return "X", f"{type(error).__name__}: {words[:150]}"


def measure(wanted):
    """Print a line of JSON for each row that can be made: its name, and its wanted cells."""
    import jax

    from can_i_use import rows

    warnings.simplefilter("ignore")
    jax.config.update("jax_disable_most_optimizations", True)
    for name, (text, chosen) in wanted.items():
        law, why = rows.law(name, text), rows.problem(name, text)
        if why:
            print(f"{name} is left out: {why}", file=sys.stderr, flush=True)
        else:
            print(json.dumps([name, {one: cell(law, one) for one in chosen}]), flush=True)


def run(python, wanted):
    """Yield what `measure` prints in a process of that Python, with leaves that another saved."""
    saves = {
        name: (text, ["saved"]) for name, (text, chosen) in wanted.items() if "saved" in chosen
    }
    with tempfile.TemporaryDirectory() as folder:
        for seed, cells in ("1", saves), ("2", wanted):
            if not cells:
                continue
            command = [python, "-m", "can_i_use", "--here", json.dumps(cells)]
            env = {**os.environ, "PYTHONHASHSEED": seed, "JAX_PLATFORMS": "cpu", "LEAVES": folder}
            with subprocess.Popen(
                command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True
            ) as process:
                yield from (json.loads(line) for line in process.stdout if seed == "2")


def update(python, stack, made):
    """Measure what the record of a stack lacks, and say which cells changed since the last one.

    Args:
        python: the stack's interpreter.
        stack: its name.
        made: the expressions of its rows, by name.
    """
    known, newest = record.load(), stack == max([*record.stacks(), stack], key=record.order)
    for name, text in made.items():
        if name not in known or known[name]["made"] != text:
            known[name] = {"made": text, "on": {}, "said": {}}
    letters = {name: record.letters(known[name], stack) for name in made}
    lacking = {name: [one for one in row if row[one] == "?"] for name, row in letters.items()}
    wanted = {name: (made[name], cells) for name, cells in lacking.items() if cells}
    for name, cells in run(python, wanted):
        row = letters[name] | {construct: letter for construct, (letter, _) in cells.items()}
        known[name]["on"][stack] = "".join(row.values())
        if newest:
            said = known[name]["said"] | {one: words for one, (_, words) in cells.items()}
            known[name]["said"] = {one: said[one] for one in row if row[one] in "WX"}
        record.save({name: known[name] for name in sorted(known) if known[name]["on"]})
        print(f"{stack}: {name:<40} {known[name]['on'][stack]}", flush=True)
    before = [other for other in record.stacks() if record.order(other) < record.order(stack)]
    for name, construct, was, is_ in record.changes(before[-1], stack) if before else ():
        print(f"{name} {construct}: {was} on {before[-1]}, {is_} on {stack}")


def check(count):
    """Measure cells that the day draws, and print those that are not as the record has them."""
    stack, known = record.stacks()[-1], record.load()
    table = record.table(stack)
    cells = [(name, one) for name, row in table.items() for one in row if row[one] != "?"]
    drawn = random.Random(datetime.date.today().toordinal()).sample(cells, min(count, len(cells)))
    wanted = {row: (known[row]["made"], [c for r, c in drawn if r == row]) for row, _ in drawn}
    found = {name: row for name, row in run(sys.executable, wanted)}
    bad = 0
    for name, construct in drawn:
        letter, words = found.get(name, {}).get(construct, ("?", "its row cannot be made"))
        if letter != table[name][construct]:
            bad += 1
            print(f"{name} {construct}: {letter} {words}; on record: {table[name][construct]}")
    print(f"{len(drawn) - bad} of {len(drawn)} cells are as in {stack}")
    return int(bad > 0)


def main():
    """Run the program."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", help="stacks of the version matrix, separated by commas")
    parser.add_argument("--check", type=int, help="how many cells to compare with the record")
    parser.add_argument("--here", type=json.loads, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.here:
        measure(options.here)
    elif options.check:
        return check(options.check)
    elif options.rows:
        from stacks import measure as stacks

        made = {name: row["made"] for name, row in record.load().items()}
        for row in options.rows.split(","):
            update(str(stacks.install(row)), row, made)
    else:
        from can_i_use import rows

        stack = f"{version('numpyro')}+jax-{version('jax')}"
        update(sys.executable, stack, rows.load())
    return 0


if __name__ == "__main__":
    sys.exit(main())
