"""Measure in which releases the programs of `evidence/avoid.toml` compute wrong numbers on a CPU.

For each release that a table names, uv makes an environment in `.cache/avoid`, in which the table's
program runs: as it is, and with the table's flag where it was wrong. Where no release is
right again, the locked one is measured too. What was counted is printed and written to
`evidence/avoid.json`. Only what is not there is measured: `python -m evidence.releases`.
"""

import datetime
import json
import os
import platform
import re
import subprocess
import tomllib
from pathlib import Path

from evidence import measure
from tools import environments

HERE = Path(__file__).resolve().parent
TABLES = HERE.with_name("avoid.toml")
RECORD = HERE.with_name("avoid.json")
WORK = environments.CACHE / "avoid"
TIME_LIMIT = 300.0


def count(python, program, flag=""):
    """Run a program; return how many of its numbers are wrong, and of how many."""
    env = {**os.environ, "JAX_PLATFORMS": "cpu", "XLA_FLAGS": flag}
    command = [str(python), str(HERE / f"{program}.py")]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=TIME_LIMIT)
    found = re.fullmatch(r"(\d+) of (\d+)", done.stdout.strip())
    if not found:
        raise RuntimeError(f"{program} on {python}: {(done.stderr or done.stdout).strip()[-500:]}")
    return [int(number) for number in found.groups()]


def counts(table, release):
    """Install a release; return what a program counts on it, and what with the flag."""
    packages = {"jaxlib": [f"jax=={release}", f"jaxlib=={release}"]}
    what = packages.get(table["library"], [f"{table['library']}=={release}", "numpy"])
    what += table.get("with", [])
    environments.create(WORK, environments.find_python(environments.WANTED), *what)
    python = WORK / "bin" / "python"
    row = {"counted": count(python, table["program"])}
    if row["counted"][0] and table["flag"]:
        row["with_flag"] = count(python, table["program"], table["flag"])
    row["date"] = str(datetime.date.today())
    return row


def main():
    """Measure what is missing, and write the record after each measurement."""
    # The counts depend on the number of cores.
    machine = {"platform": f"{platform.system()} {platform.machine()}", "cores": os.cpu_count()}
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {"programs": {}}
    locked = measure.pins_of((environments.ROOT / "requirements.txt").read_text())
    for table in tomllib.loads(TABLES.read_text())["avoid"]:
        rows = record["programs"].setdefault(table["program"], {})
        newest = [] if "until" in table else [locked[table["library"]]]
        for release in dict.fromkeys([*table["measure"], *newest]):
            if release in rows:
                continue
            rows[release] = counts(table, release)
            print(f"{table['program']:22}{table['library']} {release:9}", rows[release], flush=True)
            measure.write_json(RECORD, {**record, "machine": machine})


if __name__ == "__main__":
    main()
