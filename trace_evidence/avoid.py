"""Releases that compute wrong numbers: say so where one is installed, before anything else.

The rows are those of `evidence/releases.toml`, in the package's own data. Nothing else is imported.
"""

from __future__ import annotations

import json
import sys

from . import checkout, triage

PAGE = "book/reference/releases-to-avoid"


def releases() -> list[dict[str, str]]:
    """Return the tables of the releases; none in a checkout whose data was not made yet.

    Whoever loads the notebook's magics asks for them, so nothing is brought up to date here.
    """
    try:
        return list(json.loads(checkout.DATA.read_text(encoding="utf-8"))["avoid"].values())
    except (OSError, ValueError, KeyError):
        return []


def known_bad(versions: dict[str, str] | None = None) -> list[str]:
    """Return a sentence for each release that computes wrong numbers, and that another replaces.

    Args:
        versions: releases by library; those that are installed, if it is None. A JAX without a
            jaxlib counts as the jaxlib of its number.
    """
    versions = triage.installed() if versions is None else versions
    if "jax" in versions:
        versions = {"jaxlib": versions["jax"], **versions}
    sentences = []
    for release in releases():
        here = versions.get(release["library"])
        if not here or not release["until"]:
            continue
        if (
            triage._numbers(release["since"])
            <= triage._numbers(here)
            <= triage._numbers(release["until"])
        ):
            flag = f" Or set XLA_FLAGS={release['flag']}" if release["flag"] else ""
            says = f"computes wrong numbers. {release['symptom']} {release['cure']}{flag}"
            sentences.append(f"{release['library']} {here} {says.replace('`', '')}")
    return sentences


def warn(versions: dict[str, str] | None = None) -> None:
    """Print those sentences to standard error, with the page that has more."""
    for sentence in known_bad(versions):
        print(f"warning: {sentence}\n  {triage.address(PAGE)}", file=sys.stderr)
