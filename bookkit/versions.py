"""Read the measured version matrix, `evidence/matrix.json`.

`evidence/measure.py` measures it. Each row is a stack of released versions; each failure has a
verdict in each row. Some rows are controls: they differ from another row in one library, to tell
which library moved a boundary.
"""

from collections.abc import Callable
from itertools import groupby, pairwise
from typing import Any, NamedTuple

from . import pages
from .languages import cached, said, say

BAD = ("fails", "wrong", "warns")
UNKNOWN = "not measured"
STACK = ("numpyro", "jax", "equinox", "diffrax")
TITLES = {
    **{"numpyro": "NumPyro", "jax": "JAX", "equinox": "Equinox", "diffrax": "Diffrax"},
    **{"flax": "Flax", "optax": "Optax"},
}
OCCURS = {
    "fails": "fails in {where}",
    "wrong": "is silently wrong in {where}",
    "warns": "warns in {where}",
    "wasteful": "occurs silently in {where}",  # as `wrong`, where the answers are right
}

ASKED: set[str] = set()
"""The programs whose verdicts were asked for, and `STACKS`, since somebody emptied it."""
STACKS = "all stacks"

Record = dict[str, Any]
Row = dict[str, Any]


class Span(NamedTuple):
    """Consecutive measured releases of one library with the same verdict."""

    verdict: str
    first: str
    last: str


def load() -> Record:
    """The record: `date`, `platform`, `python`, `failures` and `rows`, sorted by release."""
    return pages.data("evidence/matrix.json")


def version_order(version: str) -> tuple[int, ...]:
    """Sort key of a release number such as "0.13.2"."""
    return tuple(int(part) for part in version.split("."))


def is_control(row: Row) -> bool:
    """Whether the row is a variation of another, not a stack of its time."""
    return "-" in row["row"] and "+" not in row["row"]


def rows() -> list[Row]:
    """The rows of the heat map: one for every NumPyro release, without the controls."""
    ASKED.add(STACKS)
    return [row for row in load()["rows"] if not is_control(row)]


def verdict(row: Row, failure_id: str) -> dict[str, str]:
    """The `verdict` of one failure in a row, with the `type` and `message` that came with it.

    It is `not measured` in a row that was measured before the program was written or changed.
    """
    ASKED.add(failure_id)
    said = row["verdicts"].get(failure_id)
    return said["reproduce"] if said else {"verdict": UNKNOWN}


def told() -> dict[str, list]:
    """Return what pages may say of each program, and under `STACKS` of all stacks, to compare."""
    known, all_rows = load()["failures"], load()["rows"]
    found = {
        name: [decided_by(name), *(verdict(row, name)["verdict"] for row in all_rows)]
        for name in known
    }
    return found | {STACKS: [[row["row"], row["measured"], row["pins"]] for row in all_rows]}


def newest() -> Row:
    """The newest stack of the record."""
    return rows()[-1]


def newest_stack() -> str:
    """The newest stack in words, and when it was measured: what *newest* means on a page."""
    row = newest()
    names = [f"{TITLES[name]} {row['pins'][name]}" for name in ("jax", "numpyro", "equinox")]
    return say("{stack}, measured on {date}", stack=", ".join(names), date=row["measured"])


def stacks_of(failure_id: str) -> tuple[int, int]:
    """In how many stacks a program was measured, and how many there are."""
    ASKED.add(failure_id)
    all_rows = load()["rows"]
    return sum(failure_id in row["verdicts"] for row in all_rows), len(all_rows)


def decided_by(failure_id: str) -> tuple[str, ...]:
    """The libraries whose releases decide about a failure; the one that repaired it comes first.

    There are none of a program that was not measured.
    """
    return tuple(load()["failures"].get(failure_id, {"decided_by": ()})["decided_by"])


def _alike(failure_id: str, library: str) -> Callable[[Row], bool]:
    """Whether the other deciding libraries of a row are in the range where the failure occurs."""
    bad = [row for row in load()["rows"] if verdict(row, failure_id)["verdict"] in BAD]
    ranges = {}
    for other in decided_by(failure_id):
        if other != library and bad:
            releases = [version_order(row["pins"][other]) for row in bad]
            ranges[other] = min(releases), max(releases)
    return lambda row: all(
        first <= version_order(row["pins"][other]) <= last
        for other, (first, last) in ranges.items()
    )


def spans(failure_id: str, library: str | None = None) -> list[Span]:
    """All verdicts on a failure, over the releases of a library that decides about it.

    Without `library` it is the first deciding one. Rows that cannot be installed or run say
    nothing.

    Raises:
        ValueError: Two rows with one release of the library disagree.
    """
    library = library or decided_by(failure_id)[0]
    kinds: dict[str, set[str]] = {}
    for row in filter(_alike(failure_id, library), load()["rows"]):
        kind = verdict(row, failure_id)["verdict"]
        if not kind.startswith(("cannot", UNKNOWN)):
            kinds.setdefault(row["pins"][library], set()).add(kind)
    found: list[Span] = []
    for release in sorted(kinds, key=version_order):
        if len(kinds[release]) > 1:
            raise ValueError(f"{library} {release} alone does not decide about {failure_id}")
        (kind,) = kinds[release]
        first = found.pop().first if found and found[-1].verdict == kind else release
        found.append(Span(kind, first, release))
    return found


@cached
def moved_by() -> list[dict[str, str]]:
    """What moved each boundary: `failure`, `library`, `release`, `pull` (an address), `says`."""
    return [said(row, "says") for row in pages.data("evidence/boundaries.toml")["boundary"]]


def boundaries(failure_id: str, library: str | None = None) -> list[tuple[str, str]]:
    """The closed ranges of releases in which a failure fails, warns or is wrong.

    `[("0.13.0", "0.16.1")]` says that 0.13.0 is the first such release and 0.16.1 the last.
    """
    found = groupby(spans(failure_id, library), lambda span: span.verdict in BAD)
    runs = [list(run) for bad, run in found if bad]
    return [(run[0].first, run[-1].last) for run in runs]


def changes(failure_id: str, library: str | None = None) -> list[tuple[str, str, str]]:
    """Each release at which the verdict changes, what it was, and what it is; oldest first."""
    found = pairwise(spans(failure_id, library))
    return [(after.first, before.verdict, after.verdict) for before, after in found]


def between(first: str, last: str) -> str:
    """Return a range of releases in words; one release alone is its number."""
    return first if first == last else say("{first} to {last}", first=first, last=last)


def _range(span: Span, oldest: str, newest: str, ran_on_all: bool, date: str) -> str:
    ends = between(span.first, span.last)
    if span.first == oldest != newest:
        why = say("oldest measured") if ran_on_all else say("the oldest that runs the program")
        ends = ends.replace(oldest, say("{release} ({why})", release=oldest, why=why), 1)
    if span.last == newest:
        return say("{ends} (the newest on {date})", ends=ends, date=date)
    return ends


def sentence(failure_id: str, wrong: str = "wrong") -> str:
    """Where a failure occurs, for the front card of its chapter.

    For instance "fails in NumPyro 0.13.0 to 0.16.1, fixed in 0.17.0". Where two libraries decide,
    the second one's range comes after a "with". `wrong` is the key of `OCCURS` for a silent one.
    """
    library, *others = decided_by(failure_id)
    found = spans(failure_id, library)
    if not found:
        return say("ran in no measured stack")
    pins = (row["pins"] for row in load()["rows"])
    first_of_all = min((pin[library] for pin in pins if library in pin), key=version_order)
    date = newest()["measured"]
    ends = found[0].first, found[-1].last, found[0].first == first_of_all, date
    known, stacks = stacks_of(failure_id)
    parts: list[str] = []
    bad_before = False
    for span in found:
        bad = span.verdict in BAD
        if bad:
            title = "" if parts else f"{TITLES[library]} "
            measured = _range(span, *ends) if known == stacks else between(span.first, span.last)
            where = f"{title}{measured}"
            phrase = say(OCCURS[wrong if span.verdict == "wrong" else span.verdict], where=where)
            for other in others:
                # The ends of what occurs there, not of what was measured.
                for first, last in boundaries(failure_id, other):
                    which = f"{TITLES[other]} {between(first, last)}"
                    phrase += say(" with {which}", which=which)
            parts.append(phrase)
        elif bad_before:
            title = f"{TITLES[library]} " if others else ""
            parts.append(say("fixed in {where}", where=f"{title}{span.first}"))
        bad_before = bad
    none = say("was met in no measured release of {library}", library=TITLES[library])
    partly = say(" (measured on {known} of {stacks} stacks)", known=known, stacks=stacks)
    return (say(", ").join(parts) or none) + (partly if known < stacks else "")
