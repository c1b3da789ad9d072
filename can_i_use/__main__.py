"""Measure the table *Can I use it?*: the cells that the record lacks, one row after another.

    python -m can_i_use                          on this stack
    python -m can_i_use --rows 0.19.0,0.15.2     on stacks of the version matrix
    python -m can_i_use --check 50               cells drawn by the day, against the record
    python -m can_i_use --only Normal:scan       these cells, printed; nothing is written

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
        found = constructs.CONSTRUCTS[construct](law)
        if ways.right(*found):
            return "r", ""
        return "W", " against ".join(map(ways.first, found[:2]))
    except ways.No:
        return "-", ""
    except Exception as error:
        words = (str(error).splitlines() or [""])[0].replace(str(ROOT), ".")
        return "X", f"{type(error).__name__}: {words[:150]}"


def measure(wanted, folder):
    """Print the wanted cells, a line of JSON for each row: name, expression, problem, cells.

    Args:
        wanted: by row, its expression and names of constructs; of no row, all rows that there are.
        folder: with the leaves that other processes wrote.
    """
    import jax

    from can_i_use import rows

    warnings.simplefilter("ignore")
    os.environ["LEAVES"] = folder
    jax.config.update("jax_disable_most_optimizations", True)
    for name, (text, chosen) in (wanted or {k: (v, ()) for k, v in rows.load().items()}).items():
        law, why = rows.law(name, text), rows.problem(name, text)
        if why:
            print(f"{name} is left out: {why}", file=sys.stderr, flush=True)
        cells = {} if why else {construct: cell(law, construct) for construct in chosen}
        print(json.dumps([name, text, why, cells]), flush=True)


def run(python, wanted):
    """Yield what `measure` prints in a process of that Python, with leaves of another one."""
    saves = {name: (text, ["saved"]) for name, (text, row) in wanted.items() if "saved" in row}
    with tempfile.TemporaryDirectory() as folder:
        first = [("1", saves)] if saves else []
        for seed, cells in [*first, ("2", wanted)]:
            command = [python, "-m", "can_i_use", "--here", json.dumps(cells), folder]
            env = {**os.environ, "PYTHONHASHSEED": seed, "JAX_PLATFORMS": "cpu"}
            with subprocess.Popen(
                command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True
            ) as p:
                yield from (json.loads(line) for line in p.stdout if seed == "2")


def update(python, stack):
    """Measure what the record of a stack lacks, and say which cells changed since the last one."""
    rows, said = record.read(stack)
    names = list(record.constructs())
    if not rows:  # all that this NumPyro has
        rows |= {
            name: ("?" * len(names), text) for name, text, why, _ in run(python, {}) if not why
        }
    lacking = {
        name: (text, [construct for construct, letter in zip(names, letters) if letter == "?"])
        for name, (letters, text) in rows.items()
        if "?" in letters
    }
    for name, text, why, cells in run(python, lacking) if lacking else ():
        if why:
            del rows[name]
            continue
        letters = dict(zip(names, rows[name][0], strict=True))
        letters |= {construct: letter for construct, (letter, _) in cells.items()}
        rows[name] = "".join(letters.values()), text
        said |= {(name, construct): words for construct, (_, words) in cells.items() if words}
        record.write(stack, rows, said, f"{stack}, measured on {datetime.date.today()}")
        print(f"{stack}: {name:<40} {rows[name][0]}", flush=True)
    before = [other for other in record.stacks() if record.order(other) < record.order(stack)]
    print("\n".join(record.changes(before[-1], stack)) if before else "nothing to compare with")


def check(count):
    """Measure cells that the day draws, and print those that are not as the record has them."""
    stack, names = record.stacks()[-1], list(record.constructs())
    rows = record.read(stack)[0]
    cells = [
        (n, c) for n, (row, _) in rows.items() for c, letter in zip(names, row) if letter != "?"
    ]
    drawn = random.Random(datetime.date.today().toordinal()).sample(cells, min(count, len(cells)))
    wanted = {name: (rows[name][1], [c for n, c in drawn if n == name]) for name, _ in drawn}
    wrong = 0
    for name, _, why, found in run(sys.executable, wanted):
        for construct, (letter, words) in found.items():
            known = rows[name][0][names.index(construct)]
            if letter != known:
                wrong += 1
                print(f"{name} {construct}: {letter} {words}{why}; on record: {known}")
    print(f"{len(drawn) - wrong} of {len(drawn)} cells are as in {stack}")
    return int(wrong > 0)


def main():
    """Run the program."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", help="stacks of the version matrix, separated by commas")
    parser.add_argument("--check", type=int, help="how many cells to compare with the record")
    parser.add_argument("--only", help="cells as Normal:scan, separated by commas")
    parser.add_argument("--here", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.here:
        measure(json.loads(options.here[0]), options.here[1])
    elif options.check:
        return check(options.check)
    elif options.only:
        for word in options.only.split(","):
            name, _, construct = word.rpartition(":")
            text = record.read(record.stacks()[-1])[0][name][1]
            print(*next(run(sys.executable, {name: (text, [construct])})), sep="\n")
    elif options.rows:
        from stacks import measure as stacks

        for row in options.rows.split(","):
            update(str(stacks.install(row)), row)
    else:
        update(sys.executable, f"{version('numpyro')}+jax-{version('jax')}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
