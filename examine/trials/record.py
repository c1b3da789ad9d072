"""What came of the trials, in one file: the book's page prints it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("record.json")


def load() -> dict[str, Any]:
    """Return `cases` and those `not_applicable`; and of the models of `others`, the `alarms`."""
    return json.loads(FILE.read_text())


def keep(**parts: Any) -> None:
    """Put some parts of the record in place of what they were."""
    FILE.write_text(json.dumps(load() | parts, indent=1, sort_keys=True) + "\n")
