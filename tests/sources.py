"""The sources of the libraries on both stacks, as one text; read once in a process."""

import functools
import re
import sys
from functools import cache
from pathlib import Path

from bookkit import pages

LIBRARIES = ("numpyro", "equinox", "jax/_src", "jax/experimental", "diffrax", "optax")


@cache
def sources():
    """Return {file: text} of the libraries on both stacks, and of Python's own `functools`."""
    found = {"functools.py": Path(functools.__file__).read_text()}
    for environment in (".venv-then", ".venv"):
        root = pages.ROOT / environment / "lib" / version() / "site-packages"
        for library in LIBRARIES:
            for file in sorted((root / library).rglob("*.py")):
                name = str(file.relative_to(root))
                found[name] = found.get(name, "") + file.read_text()
    for package in ("trace_evidence", "examine/examine_model"):
        for file in sorted((pages.ROOT / package).rglob("*.py")):
            found[str(file.relative_to(pages.ROOT))] = file.read_text()
    return found


def version():
    """Return the name of the folder of this Python's libraries."""
    return f"python{sys.version_info.major}.{sys.version_info.minor}"


@cache
def everything():
    """Return the sources as one text, each run of blanks as one."""
    return squeeze("\n".join(sources().values()))


def squeeze(text):
    """Return a text with each run of blanks as one blank."""
    return re.sub(r"\s+", " ", text)


@cache
def identifiers():
    """Return every name that the libraries use."""
    return set(re.findall(r"[A-Za-z_]\w+", everything()))
