"""The catalogue of the failures: what each is called, shows as, comes from and is cured by."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).with_name("catalogue.toml")


@dataclass(frozen=True)
class Signature:
    """One wording of a failure's message.

    Attributes:
        type: the exception's or the warning's class name.
        pattern: a regular expression on its text.
    """

    type: str
    pattern: str


@dataclass(frozen=True)
class Failure:
    """One entry of the catalogue.

    Attributes:
        id: the slug of the chapter, and the key in the file.
        title: the chapter's name.
        symptom: what the reader sees, in one sentence.
        message: the line to look for, as a reader's screen shows it.
        cause: why it happens, in one line.
        cure: what to change, in one line.
        signatures: the wordings that the message has had.
        upstream: (text, address) of the reports and changes that it is known by.
    """

    id: str
    title: str
    symptom: str
    message: str
    cause: str
    cure: str
    signatures: tuple[Signature, ...]
    upstream: tuple[tuple[str, str], ...]


def load(file: Path = FILE) -> dict[str, Failure]:
    """Return the failures by id, in the order of the book."""
    found = {}
    for key, entry in tomllib.loads(file.read_text()).items():
        entry["signatures"] = tuple(Signature(**row) for row in entry["signatures"])
        entry["upstream"] = tuple((row["text"], row["url"]) for row in entry["upstream"])
        found[key] = Failure(id=key, **entry)
    return found
