"""Measure what JAX does when a tracer is hashed, release by release.

Each release gets a throw-away environment under .cache/, with jaxlib, NumPy and SciPy of its day.
The package index offered no jaxlib before 0.4.13 (for CPython 3.11, on the day of measuring), and a
jax does not start with a jaxlib newer than itself. For three older releases the answer was read
from the class `Tracer` in their source, once: a class that defines `__eq__` and not `__hash__`
cannot be hashed. Their rows are kept.

The result goes to stacks/hash-history.json, which the chapter on tracer hashing draws.

Usage: python -m stacks.hash_history
"""

import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

from tools import environments

CURE = "It could not be installed: check the network, then run this again."
RESULT = Path(__file__).with_name("hash-history.json")

# Both sides of each boundary, and a few releases between them.
OLD, MIDDLE, LATE = ("1.24.4", "1.10.1"), ("1.26.4", "1.12.0"), ("2.0.1", "1.14.0")
RELEASES = {  # jax -> NumPy, SciPy
    "0.4.13": OLD,
    "0.4.18": MIDDLE,
    "0.4.25": MIDDLE,
    "0.4.29": MIDDLE,
    "0.4.30": LATE,
    "0.4.31": LATE,
    "0.4.35": LATE,
    "0.4.36": LATE,
    "0.6.0": LATE,
    "0.10.2": ("2.4.6", "1.17.1"),
}

# Runs in each environment. It hashes a tracer, then gives `while_loop` a function that holds one.
PROBE = """
import dataclasses, json, warnings
import jax
from jax import lax

@dataclasses.dataclass(frozen=True)
class Below:
    limit: jax.Array
    def __call__(self, y):
        return y < self.limit

def hash_it(x):
    return x if hash(x) == object.__hash__(x) else None

def loop(limit):
    return lax.while_loop(Below(limit), lambda y: y + 1.0, 0.0)

def outcome(function):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = jax.jit(function)(3.0)
        except Exception as error:
            first_line = str(error).splitlines()[0]
            return {"outcome": "error", "type": type(error).__name__, "message": first_line}
    assert value == 3.0
    for warning in caught:
        if "hash a tracer" in str(warning.message):
            category = warning.category.__name__
            return {"outcome": "warning", "type": category, "message": str(warning.message)}
    return {"outcome": "silent"}

print(json.dumps({"hash": outcome(hash_it), "while_loop": outcome(loop)}))
"""


def probe(folder: str) -> dict:
    """Run the probe in an environment and return what it prints; leave if it fails."""
    env = {**os.environ, "VIRTUAL_ENV": "", "PYTHONPATH": "", "JAX_PLATFORMS": "cpu"}
    command = [str(Path(folder, "bin", "python")), "-c", PROBE]
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"error: the probe failed:\n{done.stderr.strip()}")
    return json.loads(done.stdout)


def measure(jax: str, numpy: str, scipy: str, folder: str) -> dict:
    """Return what a release does when it runs."""
    pins = [f"jax=={jax}", f"jaxlib=={jax}", f"numpy=={numpy}", f"scipy=={scipy}"]
    environments.create(Path(folder), "3.12", *pins, cure=CURE)
    freeze = ("pip", "freeze", "--python", Path(folder, "bin", "python"))
    frozen = environments.run(environments.find_uv(), *freeze, cure=CURE).split()
    return {"by": "run", **probe(folder), "pins": frozen}


def main() -> None:
    """Measure all releases and write the result."""
    environments.CACHE.mkdir(exist_ok=True)
    known = json.loads(RESULT.read_text())["releases"]
    rows = [row for row in known if row["by"] == "source"]
    for jax, pair in RELEASES.items():
        with tempfile.TemporaryDirectory(prefix="hash-", dir=environments.CACHE) as folder:
            row = measure(jax, *pair, folder)
        rows.append({"jax": jax, **row})
        print(f"jax {jax:8} {row['by']:8} {row['hash']['outcome']}", flush=True)
    found = {
        "measured": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "releases": rows,
    }
    RESULT.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    try:
        main()
    except environments.SetupError as error:
        sys.exit(f"error: {error}")
