"""Record what the programs of `book/everyday.toml` say, on the stack of today and on that of 2024.

Each program runs in the environments of the book's two kernels, and `stacks/everyday.json` keeps
the error's type and the end of its traceback. A program that has not changed since, on releases
that have not changed, is not run again.

Usage: make recordings
"""

import contextlib
import io
import json
import os
import re
import subprocess
import sys
import tomllib
import warnings
from pathlib import Path
from typing import Any

from .recordings import shown, tidy

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "book" / "everyday.toml"
RESULT = Path(__file__).with_suffix(".json")
PYTHONS = {"then": ".venv-then/bin/python", "now": ".venv/bin/python"}
PACKAGES = ("jax", "jaxlib", "numpyro", "equinox", "diffrax")
PRELUDE = """\
import jax, jax.numpy as jnp, numpy as np, equinox as eqx, diffrax, numpyro
import numpyro.distributions as dist
from jax import lax, random
from numpyro.handlers import seed
from numpyro.infer import MCMC, NUTS, SVI, Predictive, Trace_ELBO
from numpyro.infer.autoguide import AutoNormal
"""
COUNTED = ("UserWarning", "FutureWarning")


def last_words(error):
    """Return an error as `shown` does; of one that quotes a stack, what it says after the stack."""
    found, text = shown(error), str(error)
    quoted = re.search(r"^[\w.]+Error: .*?(?=\n-{5}|\Z)", text, re.M | re.S)
    if "stack outside of JIT" in text and quoted:
        found["text"] = tidy(["Traceback:", *quoted[0].strip().splitlines()[:14]])
    return found


def say(program):
    """Run one program, and return type and text of its error, or of its last warning."""
    space: dict[str, Any] = {}
    exec(PRELUDE, space)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with contextlib.redirect_stderr(io.StringIO()):
                exec(compile(program, "<program>", "exec"), space)
        except Exception as error:
            return last_words(error)
    for warning in reversed(caught):
        kind = warning.category.__name__
        if kind in COUNTED:
            return {"type": kind, "text": tidy([f"{kind}: {warning.message}"])}
    return {"type": "", "text": ""}


def here(programs):
    """Run programs in this process; return what each said, with a line of progress."""
    found = {}
    for number, (name, program) in enumerate(programs.items(), start=1):
        print(f"\r{number}/{len(programs)} {name:<32}", end="", file=sys.stderr, flush=True)
        found[name] = say(program)
    print(file=sys.stderr)
    return found


def versions(stack):
    """Return the releases that an environment of the book holds."""
    code = f"from importlib import metadata as m; print(*map(m.version, {PACKAGES!r}))"
    done = subprocess.run([ROOT / PYTHONS[stack], "-c", code], capture_output=True, text=True)
    return dict(zip(PACKAGES, done.stdout.split(), strict=True))


def main():
    """Run what changed on both stacks, and write the file."""
    entries = tomllib.loads(SOURCE.read_text())
    programs = {
        name: row["program"].strip("\n") for name, row in entries.items() if "program" in row
    }
    old = json.loads(RESULT.read_text()) if RESULT.exists() else {}
    known = {(row["about"], row["stack"]): row for row in old.get("rows", ())}
    rows, releases = [], {stack: versions(stack) for stack in PYTHONS}
    for stack, python in PYTHONS.items():
        wanted = {n: p for n, p in programs.items() if entries[n].get("only", stack) == stack}
        same = releases[stack] == old.get("versions", {}).get(stack)
        missing = {
            name: program
            for name, program in wanted.items()
            if not same or known.get((name, stack), {}).get("program") != program
        }
        found = {}
        if missing:
            print(f"everyday errors on {stack}: {len(missing)} programs")
            flags = "--xla_force_host_platform_device_count=2"
            done = subprocess.run(
                [ROOT / python, "-m", "stacks.everyday", "--here"],
                input=json.dumps(missing), stdout=subprocess.PIPE, text=True, cwd=ROOT,
                env=os.environ | {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": flags},
            )  # fmt: skip
            if done.returncode:
                raise SystemExit(f"error: the programs could not be run on {stack}; see above.")
            found = json.loads(done.stdout.splitlines()[-1])
        for name, program in wanted.items():
            row = found[name] if name in found else known[name, stack]
            said = {"type": row["type"], "text": row["text"]}
            rows.append({"about": name, "stack": stack, "program": program} | said)
    silent = [f"{row['about']} ({row['stack']})" for row in rows if not row["type"]]
    rows.sort(key=lambda row: (list(programs).index(row["about"]), row["stack"]))
    text = json.dumps({"versions": releases, "rows": rows}, indent=1) + "\n"
    part = RESULT.with_suffix(".part")
    part.write_text(text)
    part.replace(RESULT)
    print(f"{RESULT.relative_to(ROOT)}: {len(rows)} recordings; silent: {silent}")


if __name__ == "__main__":
    if "--here" in sys.argv:
        print(json.dumps(here(json.load(sys.stdin))))
    else:
        main()
