"""What the book knows of findings and cases: from its package, or from the copy in `texts.json`.

That package names a module in the entry points of `GROUP`. The copy stands in where none does.
Nothing here needs more than the standard library.
"""

from __future__ import annotations

import json
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, entry_points, version
from importlib.resources import files
from typing import Any

GROUP = "examine_model.book"
FINDINGS = "https://trace-evidence.github.io/trace-evidence/book/examine/findings.html"
"""The page that explains each finding, at an anchor with its id."""
LIBRARIES = ("jax", "jaxlib", "numpyro", "equinox", "diffrax", "flax", "optax")


@cache
def book() -> Any:
    """Return the module that knows the cases, or None."""
    for entry in entry_points(group=GROUP):
        try:
            return entry.load()
        except ImportError:
            continue  # uninstalled by half
    return None


def page(case: str) -> tuple[str, str, str] | None:
    """Return (title, address, cure) of a case, or None where it is not known."""
    if not book():
        return tuple(texts()["cases"][case]) if case in texts()["cases"] else None
    entry = book().data()["explain"].get(case)
    return (entry["title"], book().address(entry["page"]), entry["cure"]) if entry else None


@cache
def texts() -> dict[str, Any]:
    """Return what the book says of each finding and case, as `texts.py` has copied it here."""
    return json.loads(files(__package__).joinpath("texts.json").read_text("utf-8"))


def text(name: str) -> str:
    """Return in some sentences what causes a finding with such an id, and what to do about it."""
    return texts()["findings"].get(name, "")


def installed() -> dict[str, str]:
    """Return the releases of the libraries that compute a model's numbers."""
    releases = {}
    for name in LIBRARIES:
        with suppress(PackageNotFoundError):
            releases[name] = version(name)
    return releases


def known_bad(versions: dict[str, str]) -> list[str]:
    """Return in a sentence each which of these releases are known to compute wrong numbers.

    The book's module says so, in a function of the same name and form; nothing where it has none.

    Args:
        versions: releases by the name of the library, such as {"jaxlib": "0.10.2"}.
    """
    says = getattr(book(), "known_bad", None)
    return says(versions) if says else []
