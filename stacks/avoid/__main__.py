"""Measure in which releases the programs of `stacks/avoid.toml` compute wrong numbers on a CPU.

For each release that a table names, uv makes an environment under `.cache/avoid`, in which the
table's program runs: as it is, and with the table's flag where it was wrong. Where no release is
right again, the locked one is measured too. What was counted is printed and written to
`stacks/avoid.json`. What was measured on another day is kept.

    python -m stacks.avoid                                        measure what is missing
    python -m stacks.avoid rows_summed                            one program, on all its releases
    python -m stacks.avoid rows_summed 0.10.2 0.12.0.1            on these releases only
"""

import argparse
import datetime
import json
import os
import platform
import re
import subprocess
import tomllib
from pathlib import Path

from stacks.measure import pins_of
from tools import environments

HERE = Path(__file__).resolve().parent
TABLES = HERE.with_name("avoid.toml")
RECORD = HERE.with_name("avoid.json")
WORK = environments.CACHE / "avoid"
TIME_LIMIT = 300.0


def environment(table, release):
    """Return the Python of an environment that has a release, and make it where it is missing."""
    home = WORK / f"{table['library']}-{release}"
    python = home / "bin" / "python"
    if not (home / "complete").exists():
        packages = {"jaxlib": [f"jax=={release}", f"jaxlib=={release}"]}
        what = packages.get(table["library"], [f"{table['library']}=={release}", "numpy"])
        cure = f"{' '.join(what)} could not be installed: check the network and the free space."
        environments.create(
            home, environments.find_python(), *what, *table.get("with", []), cure=cure
        )
        (home / "complete").touch()
    return python


def count(python, program, flag=""):
    """Run a program; return how many of its numbers are wrong, and of how many."""
    env = {**os.environ, "JAX_PLATFORMS": "cpu", "XLA_FLAGS": flag}
    command = [str(python), str(HERE / f"{program}.py")]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=TIME_LIMIT)
    found = re.fullmatch(r"(\d+) of (\d+)", done.stdout.strip())
    if not found:
        raise RuntimeError(f"{program} on {python}: {(done.stderr or done.stdout).strip()[-500:]}")
    return [int(number) for number in found.groups()]


def measure(table, release):
    """Return what a program counted on a release, and what it counts there with the flag."""
    python = environment(table, release)
    row = {"counted": count(python, table["program"])}
    if row["counted"][0] and table["flag"]:
        row["with_flag"] = count(python, table["program"], table["flag"])
    row["date"] = str(datetime.date.today())
    return row


def machine():
    """Return what was measured on: the counts depend on the number of cores."""
    return {"platform": f"{platform.system()} {platform.machine()}", "cores": os.cpu_count()}


def main():
    """Measure what is asked for, and write the record after each measurement."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("program", nargs="?")
    parser.add_argument("releases", nargs="*")
    asked = parser.parse_args()
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {"programs": {}}
    locked = pins_of((environments.ROOT / "requirements.txt").read_text())
    for table in tomllib.loads(TABLES.read_text())["avoid"]:
        name = table["program"]
        if asked.program not in (None, name):
            continue
        rows = record["programs"].setdefault(name, {})
        newest = [] if "until" in table else [locked[table["library"]]]
        for release in asked.releases or dict.fromkeys([*table["measure"], *newest]):
            if release in rows and asked.program is None:
                continue
            rows[release] = measure(table, release)
            print(f"{name:22}{table['library']} {release:9}", rows[release], flush=True)
            record["machine"] = machine()
            RECORD.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
