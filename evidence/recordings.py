"""Record what the programs of the error tables say, on stacks old and new.

Two places hold programs that raise one error each. Those of `evidence/recordings.toml` run on some
rows of the version matrix, and on the stack of `evidence/stacks/frameworks.txt`; of each error
type and traceback are kept in `evidence/recordings.json`, once for each wording. Those of
the everyday errors run on the book's own two stacks, which is quick; `evidence/everyday.json` keeps
what each says on both, and only what is new or changed is run. The tests hold triage to both.

Usage: python -m evidence.recordings [--everyday]
"""

import contextlib
import io
import json
import linecache
import re
import subprocess
import sys
import tomllib
import traceback
import warnings
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TABLE = Path(__file__).with_suffix(".toml")
FRAMEWORKS = "frameworks"
STACKS = ("0.12.1", "0.15.2", "0.17.0", "0.19.0", "0.22.0")
PACKAGES = ("jax", "jaxlib", "numpyro", "equinox", "diffrax")
FRAME_LINES, MESSAGE_LINES = 8, 20  # of a traceback, at most
IMPORTS = """\
import jax, jax.numpy as jnp, numpy as np
import numpyro, numpyro.distributions as dist
import equinox as eqx
import diffrax
from jax import lax, random
from numpyro.handlers import seed
from numpyro.infer import MCMC, NUTS, SVI, Predictive, Trace_ELBO
from numpyro.infer.autoguide import AutoNormal
"""
# What a program says where the stack lacks what it imports, and the errors that are about that.
LACKING = ("ImportError", "ModuleNotFoundError", "AttributeError", "NameError")
MISSING = ("missing-package", "removed-api")


def tidy(lines):
    """Return lines as one text, without this machine's paths and addresses."""
    text = "\n".join(line[:400] for line in lines if not re.fullmatch(r"[ ~^]*", line))
    text = re.sub(r"[^\s\"']*/(?:site-packages|lib/python[\d.]+)/", "site-packages/", text)
    text = re.sub(r"\b1[34]\d{13}\b", "140", text)  # an address as well, such as id() returns
    return re.sub(r"0x[0-9a-f]{6,}", "0x7f", text.replace(str(ROOT), "."))


def shown(error):
    """Return an exception as a screen shows it, cut to its innermost frames.

    Of one that quotes a stack, only what it says after the stack is kept.
    """
    frames = "".join(traceback.format_tb(error.__traceback__)).splitlines()[-FRAME_LINES:]
    said = "".join(traceback.format_exception_only(error)).splitlines()
    quoted = re.search(r"^[\w.]+Error: .*?(?=\n-{5}|\Z)", str(error), re.M | re.S)
    if "stack outside of JIT" in str(error) and quoted:
        frames, said = [], quoted[0].strip().splitlines()
    text = tidy(["Traceback:", *frames, *said[:MESSAGE_LINES]])
    return {"type": type(error).__name__, "text": text}


def say(name, program):
    """Run one program, and return type and text of its error, or of its last warning."""
    space: dict[str, Any] = {"__name__": "__main__"}
    for line in IMPORTS.splitlines():
        with contextlib.suppress(ImportError):  # an old stack, or one without all libraries
            exec(line, space)
    file = f"<{name}>"
    linecache.cache[file] = len(program), None, program.splitlines(keepends=True), file
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with contextlib.redirect_stderr(io.StringIO()):
                exec(compile(program, file, "exec"), space)
        except Exception as error:
            return shown(error)
    for warning in reversed(caught):
        kind = warning.category.__name__
        if kind in ("UserWarning", "FutureWarning"):
            return {"type": kind, "text": tidy([f"{kind}: {warning.message}"])}
    return {"type": "", "text": ""}


def here(programs):
    """Run programs in this process; return what each said, with a line of progress."""
    found = {}
    for number, (name, program) in enumerate(programs.items(), start=1):
        print(f"\r{number}/{len(programs)} {name:<48}", end="", file=sys.stderr, flush=True)
        found[name] = say(name, program)
    print(file=sys.stderr)
    return found


def run(python, programs):
    """Return what programs say in another environment.

    Raises:
        SystemExit: they could not be run there.
    """
    from evidence import measure

    two_devices = {"XLA_FLAGS": "--xla_force_host_platform_device_count=2"}
    done = subprocess.run(
        [python, __file__, "--here"], input=json.dumps(programs), stdout=subprocess.PIPE,
        text=True, cwd=ROOT, env=measure.environment() | two_devices,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"error: the programs could not be run with {python}; see above.")
    return json.loads(done.stdout.splitlines()[-1])


def read(file):
    """Return the tables of a file by name, each with its `program` as it is run."""
    tables = tomllib.loads(file.read_text())
    define = tables.pop("define", {})
    for row in tables.values():
        parts = [define.get(row.get("uses"), ""), row.get("program", "")]
        row["program"] = "\n".join(part.strip("\n") for part in parts if part)
    return tables


def wording(said):
    """Return what tells one wording from another: its type and message, without numbers."""
    message = re.split(r"^(?! |Traceback)", said["text"], maxsplit=1, flags=re.M)[-1]
    return said["type"], re.sub(r"\d+", "#", message)[:200]


def record_wordings():
    """Run the programs of `evidence/recordings.toml` on all their stacks, and write the file."""
    from evidence import measure

    tables = read(TABLE)
    programs = {name: row["program"] for name, row in tables.items()}
    rows, seen = [], set()
    for stack in (*STACKS, measure.newest_rows()[-1], FRAMEWORKS):
        print(f"recording on {stack} …", flush=True)
        python = measure.install(stack)
        for name, said in run(python, programs).items():
            key, about = (name, *wording(said)), tables[name]["about"]
            lacks = said["type"] in LACKING and about.removeprefix("everyday.") not in MISSING
            if said["type"] and key not in seen and not lacks:
                seen.add(key)
                rows.append({"about": about, "program": name, "stack": stack} | said)
    measure.write_json(TABLE.with_suffix(".json"), rows)
    silent = sorted(set(programs) - {row["program"] for row in rows})
    print(f"{len(rows)} recordings; silent everywhere: {silent}")


def record_everyday():
    """Run what is new or changed of the everyday errors on both stacks, and write the file."""
    from bookkit import entries
    from evidence import measure
    from tools import environments

    file = TABLE.with_name("everyday.json")
    programs = {name: one for name, one in entries.errors().items() if one.program}
    old = json.loads(file.read_text()) if file.exists() else {"rows": [], "versions": {}}
    rows, releases = [], {}
    for stack, home in {"then": environments.THEN, "now": environments.NOW}.items():
        installed = environments.versions(home)
        releases[stack] = {name: installed[name] for name in PACKAGES}
        known = {row["about"]: row for row in old["rows"] if row["stack"] == stack}
        if releases[stack] != old["versions"].get(stack):
            known = {}
        wanted = {n: one.program for n, one in programs.items() if one.only in ("", stack)}
        new = {n: p for n, p in wanted.items() if known.get(n, {}).get("program") != p}
        print(f"everyday errors on {stack}: {len(new)} programs to run")
        known |= run(home / "bin" / "python", new) if new else {}
        for name, program in wanted.items():
            said = {key: known[name][key] for key in ("type", "text")}
            rows.append({"about": name, "stack": stack, "program": program} | said)
    rows.sort(key=lambda row: (list(programs).index(row["about"]), row["stack"]))
    measure.write_json(file, {"versions": releases, "rows": rows})
    silent = [f"{row['about']} ({row['stack']})" for row in rows if not row["type"]]
    print(f"{len(rows)} recordings; silent: {silent}")


if __name__ == "__main__":
    if "--here" in sys.argv:
        print(json.dumps(here(json.load(sys.stdin))))
    else:
        if "--everyday" not in sys.argv:
            record_wordings()
        record_everyday()
