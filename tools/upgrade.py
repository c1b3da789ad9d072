"""Move the book to the newest releases, in one go: `python -m tools.upgrade`.

It does the steps of MAINTAINING in their order, says how long each took, and ends with a list of
what a person must read. A step that finds nothing to do is quick, so the program can be run again
after an interruption or a correction.

A library that has to stay where it is gets a bound in `pyproject.toml` first.

The exit status is 1 where a page or a test needs a person, and 2 where a step could not be done.
"""

import re
import subprocess
import sys
import time

from tools import environments

ROOT = environments.ROOT
MATRIX = ROOT / "stacks" / "matrix"
LIBRARIES = ("numpyro", "jax", "jaxlib", "equinox", "diffrax", "lineax", "optimistix", "numpy")
PINNED = (*LIBRARIES, "scipy", "ml_dtypes", "jaxtyping")
PYTHON = ROOT / ".venv" / "bin" / "python"


def run(*command: str, title: str) -> bool:
    """Run one step, and say what it is and how long it took; tell whether it went well."""
    print(f"== {title} …", flush=True)
    begun = time.monotonic()
    done = subprocess.run([str(part) for part in command], cwd=ROOT)
    state = "done" if done.returncode == 0 else f"ended with {done.returncode}"
    print(f"== {title}: {state} in {time.monotonic() - begun:.0f} s", flush=True)
    return done.returncode == 0


def locked() -> dict[str, str]:
    """Return what the lock of the stack now pins."""
    text = (ROOT / "requirements.txt").read_text()
    return {
        name.replace("-", "_"): version
        for name, version in re.findall(r"^([\w.-]+)==([^\s;\\]+)", text, re.M)
    }


def row_of(pins: dict[str, str]) -> str:
    """Return the row of the matrix that has these releases; lay it down where there is none."""
    release = pins["numpyro"]
    own = MATRIX / f"{release}.in"
    name = release
    if own.exists() and f"jax=={pins['jax']}\n" not in own.read_text():
        name = f"{release}+jax-{pins['jax']}"
    rows = ["# Python {}.{}".format(*environments.WANTED)]
    rows += [f"{library}=={pins[library]}" for library in PINNED]
    (MATRIX / f"{name}.in").write_text("\n".join(rows) + "\n")
    return name


def to_read() -> list[str]:
    """Return what the move changed that a person must read, in words."""
    changed = subprocess.run(
        ["git", "status", "--porcelain"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    files = [row[3:] for row in changed]
    outputs = [name for name in files if name.startswith("tests/outputs/")]
    found = [f"the output of a page, and the text beside it: git diff {name}" for name in outputs]
    if any(name.startswith("stacks/matrix") for name in files):
        found.append(
            "the verdicts of the new row: cases that are closed now need `was` or `mended`"
        )
    if any(name.endswith(("recordings.json", "everyday.json")) for name in files):
        found.append("messages with a new wording: git diff stacks/*.json, then `make page`s")
    return [*found, f"{len(files)} files changed in all: git status"]


def main() -> int:
    """Run the program; the status is 1 where something needs a person."""
    begun = time.monotonic()
    if not run("make", "lock", title="locks"):
        return 2
    row = row_of(locked())
    measure = (str(PYTHON), "-m", "stacks.measure")
    needed = [
        (("make", "environments"), "environments"),
        ((*measure, "--lock", "--rows", row), f"lock of the row {row}"),
        ((*measure, "--rows", row), f"matrix, row {row}"),
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
        ((*pytest, "tests"), "the suite"),
        ((str(PYTHON), "-m", "tools.upstream"), "patches for the libraries"),
    ]
    wrong = [title for command, title in steps if not run(*command, title=title)]
    print(f"\nMoved to {row} in {(time.monotonic() - begun) / 60:.0f} minutes. Read:")
    print("\n".join(f"- {line}" for line in to_read()))
    print("\n".join(f"- failed, see above: {title}" for title in wrong))
    return int(bool(wrong))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("\nInterrupted: what was done is kept; run it again to go on.")
