"""What was measured, and the engine that measures it: `python -m evidence`."""

from importlib import import_module
from typing import Any


def kind(name: str, module: str) -> Any:
    """Return a function that imports a kind: patches and cells need what others do not."""
    return lambda: getattr(import_module(f"evidence.{module}"), name)


KINDS = {
    "case": kind("CASE", "kinds"),
    "wording": kind("WORDING", "kinds"),
    "release": kind("RELEASE", "kinds"),
    "patch": kind("PATCH", "patches"),
    "cell": kind("Cells", "cells"),
    "variation": kind("Variation", "variation"),
}
"""Each kind of program, by name, as a function that returns it."""
