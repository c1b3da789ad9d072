"""Ask which releases are the newest, run the chapters on them, and say what changed.

The package index is asked for the newest release of each library, whatever Python it needs; where
the lock has an older one, that is the first finding. An environment under `.cache/latest/`, of a
Python that those releases support, gets what `pyproject.toml` asks for, without the lock and
without its bounds. The chapters run there as their "now" kernel; the "then" kernel stays as it is.
Finished chapters are kept: a second run with the same releases executes only what is missing.
With `--ask` it only asks, in seconds.
The exit status is 1 where the lock is behind or a cell did not do what it declares, and 2 where
nothing could be asked or run.
"""

import argparse
import hashlib
import os
import re
import subprocess
import sys
import tomllib

from packaging.version import Version

from bookkit.versions import pins_of
from tools import environments

ROOT = environments.ROOT
WORK = environments.CACHE / "latest"
PYTHON = WORK / "venv" / "bin" / "python"
KERNELS = WORK / "jupyter" / "kernels"
COMPARED = (
    "jax", "jaxlib", "numpyro", "equinox", "diffrax", "flax", "optax",
    "scipy", "numpy", "lineax", "optimistix", "jaxtyping",
)  # fmt: skip
PYTHONS = ("3.12", "3.13", "3.14", "3.15")  # the book's own first


def wanted() -> list[str]:
    """Return what to install: what a notebook needs, without bounds."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    requirements = project["optional-dependencies"]["notebook"]
    return [re.split(r"[^\w.-]", requirement, maxsplit=1)[0] for requirement in requirements]


def newest_on(python: str) -> dict[str, str]:
    """Return the newest release of each library that can be had with a Python."""
    WORK.mkdir(parents=True, exist_ok=True)
    names = WORK / "names.in"
    names.write_text("\n".join(COMPARED))
    options = ["--quiet", "--no-header", "--no-annotate", "--no-deps", "--refresh"]
    pins = environments.run(
        environments.find_uv(), "pip", "compile", *options, "--python-version", python, names
    )
    return pins_of(pins)


def newest() -> tuple[dict[str, str], str]:
    """Return the newest release of each library, and the first Python that runs them all."""
    by_python = {python: newest_on(python) for python in PYTHONS}
    best = {
        name: max((releases[name] for releases in by_python.values()), key=Version)
        for name in COMPARED
    }
    fits = [python for python, releases in by_python.items() if releases == best]
    return best, fits[0] if fits else PYTHONS[-1]


def behind(best: dict[str, str], python: str) -> list[str]:
    """Return in words where the lock has an older release than there is."""
    locked = pins_of((ROOT / "requirements.txt").read_text())
    lines = [
        f"The lock has {name} {locked[name]}; the newest release is {best[name]}."
        for name in COMPARED
        if Version(locked[name]) < Version(best[name])
    ]
    own = environments.WANTED
    if lines and python != own:
        lines.append(
            f"They need Python {python}, and the book runs on {own}: no lock reaches them."
        )
    return lines


def install(base: str) -> dict[str, str]:
    """Make the environment with a Python, and its kernel; return the versions in it."""
    python = environments.find_python(base)
    environments.create(WORK / "venv", python, "--upgrade", *wanted())
    (site_packages,) = (WORK / "venv").glob("lib/python*/site-packages")
    (site_packages / "trace_evidence.pth").write_text(f"{ROOT}\n{ROOT}/examine\n")
    environments.register_kernel(KERNELS / "python3", WORK / "venv", "latest")
    environments.register_kernel(KERNELS / "then", environments.THEN, "then")
    return environments.versions(WORK / "venv")


def run(versions: dict[str, str]) -> int:
    """Run the cells of the pages with the new kernel, and print which do not what they declare.

    Returns:
        pytest's status: 0 where nothing changed, 1 where something did.
    """
    stack = hashlib.sha256(str(sorted(versions.items())).encode()).hexdigest()
    command = [sys.executable, "-m", "pytest", "-q", "book", "-k", "not outputs"]
    command += ["--executed", str(WORK / "executed" / stack)]
    environment = {**os.environ, "JUPYTER_PATH": str(KERNELS.parent)}
    return subprocess.run(command, cwd=ROOT, env=environment).returncode


def examined() -> list[str]:
    """Examine models that are hit and whole ones there, and return what is said otherwise."""
    command = [str(PYTHON), "-m", "trials.count", "--compare"]
    environment = {**os.environ, "PYTHONPATH": "", "JAX_PLATFORMS": "cpu"}
    done = subprocess.run(
        command, cwd=ROOT / "examine", env=environment, capture_output=True, text=True
    )
    lines = [line for line in done.stdout.splitlines() if re.match(r"[\w-]+: ", line)]
    if done.returncode and not lines:
        lines = [f"examine: {(done.stderr.strip().splitlines() or ['it stopped'])[-1]}"]
    return lines


def main() -> int:
    """Run the program; the status is 1 where an expectation changed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--ask", action="store_true", help="ask the package index, and run nothing")
    options = parser.parse_args()
    print("asking for the newest releases …", flush=True)
    try:
        best, python = newest()
        print("newest:", ", ".join(f"{name} {release}" for name, release in best.items()))
        late = behind(best, python)
        print("\n".join(late) or "The lock has them all.", flush=True)
        if options.ask:
            return int(bool(late))
        print(f"installing {' '.join(wanted())} on Python {python} …", flush=True)
        versions = install(python)
    except environments.SetupError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print("running on", ", ".join(f"{name} {versions[name]}" for name in COMPARED), flush=True)
    status = run(versions)
    print("examining the silent cases …", flush=True)
    changed = late + examined()
    print("\n".join(changed) or "Nothing else changed.")
    return status or int(bool(changed))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("\nInterrupted: finished chapters are kept.")
