"""The everyday errors: `book/everyday.toml`, one table an error that no chapter or case is about.

Each says what it is and what to try first, with a program that raises it. `stacks/recordings.py`
runs the programs on both stacks and writes what they say; the triage and the error index are made
from both.
"""

from dataclasses import dataclass

from . import catalogue, pages, versions
from .catalogue import Evidence, Signature
from .languages import cached, said, say

LIBRARIES = versions.TITLES
STACKS = {"now": "Now", "then": "In August 2024"}


@dataclass(frozen=True)
class Entry:
    """One everyday error."""

    id: str  # its name, and the key in the file
    library: str  # a key of `LIBRARIES`: whose error it is
    kind: str  # what it is about; JAX has a page for each
    title: str  # what went wrong, in a line
    symptom: str  # what it is, in a sentence or two (`says` in the file)
    cure: str  # the first thing to try (`try` in the file)
    link: str  # the best page about it: an address, or a page of this book
    # The messages that it has had; `points` as in the catalogue. `source` is "report" where only a
    # report shows one, "documentation" where only a library's own text does.
    wordings: tuple[Signature, ...]
    program: str = ""  # a short one that raises it, or nothing where no machine here can
    only: str = ""  # the one stack, "now" or "then", on which the program raises it
    evidence: tuple[Evidence, ...] = ()  # what else speaks for it, if the message is another's too
    question: str = ""  # what tells it from `look`
    look: tuple[str, ...] = ()  # slugs of chapters and cases that it looks like
    phrases: tuple[str, ...] = ()  # how people put it where they get no message, as in a case


@cached
def load() -> dict[str, Entry]:
    """Return the entries by id, in the order of the file."""
    found = {}
    for name, row in pages.data("book/everyday.toml").items():
        row = dict(said(row, "title", "says", "try", "question"))
        row["symptom"], row["cure"] = row.pop("says"), row.pop("try")
        row["program"] = row.get("program", "").strip("\n")
        row["wordings"] = tuple(map(catalogue.signature, row["wordings"]))
        row["evidence"] = tuple(Evidence(**one, means="") for one in row.get("evidence", ()))
        row["look"] = tuple(row.get("look", ()))
        row["phrases"] = tuple(map(say, row.get("phrases", ())))
        found[name] = Entry(id=name, **row)
    return found


def recorded() -> list[dict[str, str]]:
    """Return what the programs said: rows of `about`, `stack`, `type` and `text`."""
    return pages.data("stacks/everyday.json")["rows"]


def page(entry: Entry) -> str:
    """Return the page of an entry, from the root of the repository: JAX has one for each kind."""
    name = f"jax-{entry.kind}" if entry.library == "jax" else entry.library
    return f"book/errors/{name}"
