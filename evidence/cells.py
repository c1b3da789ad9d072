"""Measure the table *Can I use it?*: the cells that the record lacks, one row after another.

A row is a distribution on a stack, and has a letter for each construct. It is written as soon as it
is measured, so a next run goes on from there.
"""

import itertools
import json
import os
import subprocess
import sys
import tempfile
from importlib.metadata import version

from bookkit import can_i_use_record as record
from bookkit import versions
from bookkit.pages import ROOT
from evidence import stacks
from evidence.can_i_use import rows

FIXED = {"JAX_PLATFORMS": "cpu", "JAX_DISABLE_MOST_OPTIMIZATIONS": "1", "PYTHONWARNINGS": "ignore"}


def run(python, wanted):
    """Yield what `measure` prints in a process of that Python, with leaves that another saved."""
    saves = {
        name: (text_and_cells[0], ["saved"])
        for name, text_and_cells in wanted.items()
        if "saved" in text_and_cells[1]
    }
    with tempfile.TemporaryDirectory() as folder:
        for seed, cells in ("1", saves), ("2", wanted):
            command = [python, "-m", "evidence.can_i_use", json.dumps(cells)]
            env = {**os.environ, **FIXED, "PYTHONHASHSEED": seed, "LEAVES": folder}
            with subprocess.Popen(
                command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True
            ) as process:
                lines = process.stdout or ()
                yield from (json.loads(line) for line in lines if seed == "2")


class Cells:
    """The kind of what a distribution gives in each construct; its rows are asked by the cell."""

    @staticmethod
    def update(only=(), names=()):
        """Measure what the record lacks on some stacks, or on the book's own; return 0, or 2."""
        for stack in {*only} - {*versions.stack_names()}:
            print(f"error: cell: {stack} is no stack of evidence/stacks", file=sys.stderr)
            return 2
        if only:
            made = {name: row["made"] for name, row in record.cells().items()}
            for stack in only:
                with stacks.installed(stack) as python:
                    update(python, stack, made, names)
        else:
            stack = f"{version('numpyro')}+jax-{version('jax')}"
            update(sys.executable, stack, rows.load(), names)
        return 0


def update(python, stack, made, names):
    """Measure what the record of a stack lacks, and say which cells changed since the last one."""
    on_record, wanted = record.cells(), {}
    for name, text in made.items():
        if on_record.get(name, {}).get("made") != text:
            on_record[name] = {"made": text, "on": {}, "said": {}}
        letters = record.letters(on_record[name], stack)
        wanted[name] = text, [construct for construct in letters if letters[construct] == "?"]
    wanted = {
        name: text_and_cells
        for name, text_and_cells in wanted.items()
        if text_and_cells[1] and name in (names or [name])
    }
    if not wanted:
        print(f"cell: every cell on {stack} is known")
        return
    for name, cells in run(python, wanted):
        distribution = on_record[name]
        letters = record.letters(distribution, stack) | {
            construct: cells[construct][0] for construct in cells
        }
        distribution["on"][stack] = "".join(letters.values())
        if stack == record.stacks(on_record)[-1]:
            details = distribution["said"] | {construct: cells[construct][1] for construct in cells}
            distribution["said"] = {
                construct: details[construct]
                for construct in letters
                if letters[construct] in "rWX"
            }
        record.write(on_record)
        print(f"{stack}: {name:<40} {distribution['on'][stack]}", flush=True)
    for last, this in itertools.pairwise(record.stacks()):
        for name, construct, was, is_ in record.changes(last, this) if this == stack else ():
            print(f"{name} {construct}: {was} on {last}, {is_} on {stack}")
