"""The stacks on which programs are measured: what each installs, and how it is locked.

`evidence/stacks/NAME.in` names a stack's Python and its pins, `NAME.txt` is their lock with hashes.
A stack whose name is a NumPyro release is that release with a JAX of its time;
`<release>+jax-<version>` is the same NumPyro with a later JAX; `<release>-<library>-<version>` is a
control, which differs from another stack in one library. `frameworks` holds what the book's own
environments lack, `patches` the newest releases with what their own tests need. `now` and `then`
are the book's two environments. Any other name is what pip would install, as
`jaxlib==0.10.2 jax==0.10.2`.

    python -m evidence.stacks             lay down the book's own stack, and lock all of them
    python -m evidence.stacks 0.22.0 …    lock some, from their pins
"""

import contextlib
import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from bookkit import versions
from bookkit.pages import ROOT
from tools import environments

FOLDER = versions.STACKS_FOLDER
WORK = ROOT / ".cache" / "stacks"
INSTALLED = {"now": environments.NOW, "then": environments.THEN}
FRAMEWORKS = "frameworks"
OPEN = (FRAMEWORKS, "patches")  # stacks whose pins are open, and are brought up to date
NEWEST = 3  # stacks on which a new case is measured before its page is built
# What a stack pins of the book's own.
PINNED = (
    *("numpyro", "jax", "jaxlib", "equinox", "diffrax", "lineax", "optimistix", "numpy", "scipy"),
    *("ml-dtypes", "jaxtyping", "optax", "flax"),
)


def newest() -> list[str]:
    """The last stacks of the matrix that are no controls."""
    names = [name for name in versions.stack_names() if not versions.is_control({"name": name})]
    return names[-NEWEST:]


def wordings() -> list[str]:
    """The stacks that show how messages change: the oldest, `then`, each JAX series' last."""
    names = [name for name in versions.stack_names() if not versions.is_control({"name": name})]
    last = {tuple(versions.pins(name)["jax"].split(".")[:2]): name for name in names}
    return [FRAMEWORKS, names[0], "then", *last.values()]


def contents(stack: str) -> dict[str, str]:
    """Name and version of all that a stack holds, as far as it is known before it is installed."""
    if stack in INSTALLED:
        lock = ROOT / "requirements.txt" if stack == "now" else FOLDER / "then.txt"
        pins = versions.pins_of(lock.read_text())
        return {name: pins[name] for name in PINNED if name in pins}
    return versions.pins(stack) if (FOLDER / f"{stack}.txt").exists() else {"": stack}


def environment() -> dict[str, str]:
    """The variables of every process: the book's own, without those of this Python."""
    own = ("PYTHON", "VIRTUAL_ENV", "MPLBACKEND", "XLA_")  # an old XLA stops at a new flag
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    return {**inherited, "PYTHONNOUSERSITE": "1"}


@contextlib.contextmanager
def installed(stack: str) -> Iterator[Path]:
    """Make a stack's environment, give its interpreter, and take the environment away.

    Raises:
        SetupError: it could not be made, or its Python is neither here nor to be had.
    """
    if stack in INSTALLED:
        yield INSTALLED[stack] / "bin" / "python"
        return
    home, lock = WORK / re.sub(r"[^\w.+-]+", "-", stack), FOLDER / f"{stack}.txt"
    locked = lock.exists()
    python = environments.find_python(versions.python_of(stack) if locked else environments.WANTED)
    what = ["--require-hashes", "-r", lock] if locked else stack.split()
    try:
        environments.create(home, python, *what)
        yield home / "bin" / "python"
    finally:
        shutil.rmtree(home, ignore_errors=True)


def lay_down() -> None:
    """Lay down the book's own stack: those of its releases that are in its lock."""
    pins = versions.pins_of((ROOT / "requirements.txt").read_text())
    file = FOLDER / f"{pins['numpyro']}.in"
    if file.exists() and f"jax=={pins['jax']}\n" not in file.read_text():
        file = FOLDER / f"{pins['numpyro']}+jax-{pins['jax']}.in"
    lines = [f"# Python {environments.WANTED}", *(f"{name}=={pins[name]}" for name in PINNED)]
    file.write_text("\n".join(lines) + "\n")


def lock(stack: str) -> None:
    """Make a stack's lock from its pins; versions that it holds already stay."""
    options = ["--python-version", versions.python_of(stack), "--no-header", "--no-annotate"]
    options += ["--upgrade"] if stack in OPEN else []
    paths = [FOLDER / f"{stack}.in", "-o", FOLDER / f"{stack}.txt"]
    command = [environments.find_uv(), "pip", "compile", "--quiet", "--generate-hashes"]
    environments.run(
        *command, *options, *paths, cure=f"{stack} could not be locked: mend its pins."
    )


def main() -> int:
    """Run the program; return 0 where all went well."""
    wanted = sys.argv[1:]
    if not wanted:
        lay_down()
    for name in wanted or [*versions.stack_names(), *OPEN]:
        lock(name)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except environments.SetupError as error:
        sys.exit(f"error: {error}")
