"""What `examine` is judged by: models that are hit by a silent case or whole, and other people's.

What came of both is in one file, which the book's page prints.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("record.json")


def load_record() -> dict[str, Any]:
    """Return `cases` and those `not_applicable`; and of the models of `others`, the `alarms`."""
    return json.loads(FILE.read_text())


def write_record(**parts: Any) -> None:
    """Put some parts of the record in place of what they were."""
    FILE.write_text(json.dumps(load_record() | parts, indent=1, sort_keys=True) + "\n")
