"""Measure the table *Can I use it?*: the cells that the record lacks, one row after another.

    python -m evidence.can_i_use                          on this stack
    python -m evidence.can_i_use --rows 0.19.0,0.16.1     on stacks of the version matrix

A row is written as soon as it is measured, so a next run goes on from there.
"""

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
from importlib.metadata import version

import jax

from bookkit import can_i_use_record as record
from evidence.can_i_use import constructs, rows

ROOT = record.FOLDER.parent.parent
FIXED = {"JAX_PLATFORMS": "cpu", "JAX_DISABLE_MOST_OPTIMIZATIONS": "1", "PYTHONWARNINGS": "ignore"}


def cell(law, construct):
    """Return the letter of a cell, and what it said."""
    jax.config.update("jax_enable_x64", False)  # the one before may have turned it on
    try:
        found = getattr(constructs, construct)(law)
        letter = "r" if constructs.right(*found) else "W"
        return letter, " against ".join(map(constructs.first, found[:2]))
    except constructs.No:
        return "-", ""
    except constructs.Unknown as error:  # the table's own fault, and never a red cell
        print(f"{law.__name__} {construct}: no second way: {error}", file=sys.stderr)
        return "?", ""
    except Exception as error:
        words = (str(error).splitlines() or [""])[0].replace(str(ROOT), ".")
        return "X", f"{type(error).__name__}: {words[:150]}"


def measure(wanted):
    """Print a line of JSON for each row that can be made: its name, and its wanted cells."""
    for name, (text, chosen) in wanted.items():
        law = rows.law(name, text)
        try:
            law(constructs.ONE)
        except Exception as error:
            print(f"{name} cannot be made: {type(error).__name__}: {error}", file=sys.stderr)
        else:
            print(json.dumps([name, {one: cell(law, one) for one in chosen}]), flush=True)


def run(python, wanted):
    """Yield what `measure` prints in a process of that Python, with leaves that another saved."""
    saves = {name: (row[0], ["saved"]) for name, row in wanted.items() if "saved" in row[1]}
    with tempfile.TemporaryDirectory() as folder:
        for seed, cells in ("1", saves), ("2", wanted):
            command = [python, "-m", "evidence.can_i_use", "--here", json.dumps(cells)]
            env = {**os.environ, **FIXED, "PYTHONHASHSEED": seed, "LEAVES": folder}
            with subprocess.Popen(
                command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True
            ) as process:
                yield from (json.loads(line) for line in process.stdout if seed == "2")


def update(python, stack, made):
    """Measure what the record of a stack lacks, and say which cells changed since the last one."""
    known, wanted = record.load(), {}
    for name, text in made.items():
        if known.get(name, {}).get("made") != text:
            known[name] = {"made": text, "on": {}, "said": {}}
        letters = record.letters(known[name], stack)
        wanted[name] = text, [one for one in letters if letters[one] == "?"]
    wanted = {name: row for name, row in wanted.items() if row[1]}
    if not wanted:
        print(f"{stack}: every cell is on record.")
        return
    for name, cells in run(python, wanted):
        row = known[name]
        letters = record.letters(row, stack) | {one: cells[one][0] for one in cells}
        row["on"][stack] = "".join(letters.values())
        if stack == record.stacks(known)[-1]:
            said = row["said"] | {one: cells[one][1] for one in cells}
            row["said"] = {one: said[one] for one in letters if letters[one] in "rWX"}
        whole = {name: known[name] for name in sorted(known) if known[name]["on"]}
        record.FILE.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
        print(f"{stack}: {name:<40} {row['on'][stack]}", flush=True)
    for last, this in itertools.pairwise(record.stacks()):
        for name, construct, was, is_ in record.changes(last, this) if this == stack else ():
            print(f"{name} {construct}: {was} on {last}, {is_} on {stack}")


def main():
    """Run the program."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", help="stacks of the version matrix, separated by commas")
    parser.add_argument("--here", type=json.loads, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.here is not None:
        measure(options.here)
    elif options.rows:
        from evidence import measure as stacks

        made = {name: row["made"] for name, row in record.load().items()}
        for row in options.rows.split(","):
            update(str(stacks.install(row)), row, made)
    else:
        stack = f"{version('numpyro')}+jax-{version('jax')}"
        update(sys.executable, stack, rows.load())


if __name__ == "__main__":
    main()
