"""Marks texts that are translated where they are shown."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def translatable(texts: T) -> T:
    """Return a text, or texts in a tuple or as the values of a table, as they are.

    `bookkit.translations` finds the call, and puts the texts into the catalogues.
    """
    return texts
