"""Move the book to the newest releases, in one go: `python -m tools.upgrade`.

It does the steps of MAINTAINING in their order, and ends with what a person must read. After an
interruption or a correction it can be run again. A library that has to stay where it is gets a
bound in `pyproject.toml` first.

The exit status is 1 where a page or a test needs a person, and 2 where a step could not be done.
"""

import argparse
import subprocess
import sys

from stacks import measure
from tools import environments

ROOT = environments.ROOT
MATRIX = ROOT / "stacks" / "matrix"
LIBRARIES = ("numpyro", "jax", "jaxlib", "equinox", "diffrax", "lineax", "optimistix", "numpy")
PINNED = (*LIBRARIES, "scipy", "ml-dtypes", "jaxtyping", "optax", "flax")
PYTHON = ROOT / ".venv" / "bin" / "python"
READ = ("book", "tests/outputs", "stacks/everyday.json", "stacks/recordings.json", "can_i_use")


def run(*command: str, title: str) -> bool:
    """Run one step, and say what it is; tell whether it went well."""
    print(f"== {title} …", flush=True)
    return subprocess.run(command, cwd=ROOT).returncode == 0


def row_of(pins: dict[str, str]) -> str:
    """Return the row of the matrix that has these releases; lay it down where there is none."""
    name = release = pins["numpyro"]
    own = MATRIX / f"{release}.in"
    if own.exists() and f"jax=={pins['jax']}\n" not in own.read_text():
        name = f"{release}+jax-{pins['jax']}"
    rows = [f"# Python {environments.WANTED}"]
    rows += [f"{library}=={pins[library]}" for library in PINNED]
    (MATRIX / f"{name}.in").write_text("\n".join(rows) + "\n")
    return name


def main() -> int:
    """Run the program; the status is 1 where something needs a person."""
    argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0]).parse_args()
    if not run("make", "lock", title="locks"):
        return 2
    row = row_of(measure.pins_of((ROOT / "requirements.txt").read_text()))
    measuring = (str(PYTHON), "-m", "stacks.measure")
    needed = [
        (("make", "environments"), "environments"),
        ((*measuring, "--lock", "--rows", row), f"lock of the row {row}"),
        ((*measuring, "--rows", row), f"matrix, row {row}"),
        ((str(PYTHON), "-m", "stacks.avoid"), "releases to avoid"),
        ((str(PYTHON), "-m", "stacks.recordings"), "recorded messages"),
    ]
    for command, title in needed:
        if not run(*command, title=title):
            return 2
    pytest = (str(PYTHON), "-m", "pytest", "-q")
    steps = [
        ((str(PYTHON), "-m", "bookkit"), "pages"),
        ((*pytest, "book", "--update"), "outputs of the pages"),
        ((str(PYTHON), "-m", "can_i_use"), "can I use it? cells that changed"),
        ((str(PYTHON), "-m", "bookkit.translations"), "catalogues of the translations"),
        ((*pytest, "-m", "", "tests"), "the suite"),
        ((str(PYTHON), "-m", "tools.upstream"), "patches for the libraries"),
    ]
    wrong = [title for command, title in steps if not run(*command, title=title)]
    print(f"\nMoved to the row {row}. Read what changed, and the text beside it:", flush=True)
    subprocess.run(["git", "diff", "--stat", "--", *READ], cwd=ROOT)
    print("Changed as well: locks, records and catalogues, which `git status` lists.")
    print("\n".join(f"failed, see above: {title}" for title in wrong))
    return int(bool(wrong))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("\nInterrupted: what was done is kept; run it again to go on.")
