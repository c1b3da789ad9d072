"""Read the version matrix: the locks of its stacks, and the rows of `evidence/rows/case.jsonl`.

Each row of the matrix is a stack of released versions; each failure has a verdict in it. Some are
controls: they differ from another stack in one library, to tell which library moved a boundary.
"""

import re
from collections.abc import Callable
from itertools import groupby, pairwise
from typing import Any, NamedTuple

from trace_evidence.words import translatable

from . import pages
from .languages import cached, say

BAD = ("fails", "wrong", "warns")
UNKNOWN = "not measured"
VERDICTS = translatable(("fails", "wrong", "warns", "ok", "cannot run"))
STACK = ("numpyro", "jax", "equinox", "diffrax")
TITLES = {
    **{"numpyro": "NumPyro", "jax": "JAX", "equinox": "Equinox", "diffrax": "Diffrax"},
    **{"flax": "Flax", "optax": "Optax"},
}
OCCURS = translatable(
    {
        "fails": "fails in {where}",
        "wrong": "is silently wrong in {where}",
        "warns": "warns in {where}",
        "wasteful": "occurs silently in {where}",  # as `wrong`, where the answers are right
    }
)

ASKED: set[str] = set()
"""The programs whose verdicts were asked for, and `STACKS`, since somebody emptied it."""
STACKS = "all stacks"

STACKS_FOLDER = pages.ROOT / "evidence" / "stacks"

_PIN = re.compile(r"^([A-Za-z0-9_.-]+)==([^\s;\\]+)", re.MULTILINE)
_PYTHON = re.compile(r"^# Python (\d+\.\d+)$", re.MULTILINE)

Record = dict[str, Any]
Stack = dict[str, Any]


class Span(NamedTuple):
    """Consecutive measured releases of one library with the same verdict."""

    verdict: str
    first: str
    last: str


def pins_of(lock: str) -> dict[str, str]:
    """Name and version of everything that a lock file installs."""
    return {name.lower().replace("_", "-"): version for name, version in _PIN.findall(lock)}


@cached
def pins(stack: str) -> dict[str, str]:
    """Name and version of everything that a stack's lock installs."""
    return dict(sorted(pins_of((STACKS_FOLDER / f"{stack}.txt").read_text()).items()))


def python_of(stack: str) -> str:
    """The Python that a stack needs, as its file of pins says: `3.12`."""
    first_line = _PYTHON.search((STACKS_FOLDER / f"{stack}.in").read_text())
    if first_line is None:
        raise pages.PageError(f"{stack}.in names no Python: begin it with `# Python 3.12`")
    return first_line[1]


def stack_order(stack: str) -> tuple[tuple[int, ...], str, tuple[int, ...], str]:
    """Sort key of a stack's name: the NumPyro release, its later JAX releases, its controls."""
    release, mark, rest = re.fullmatch(r"([\d.]+)([+-]?)(.*)", stack).groups()  # type: ignore[union-attr]
    later = version_order(rest.removeprefix("jax-")) if mark == "+" else ()
    return version_order(release), mark, later, rest


def stack_names() -> list[str]:
    """The stacks of the matrix, oldest NumPyro first."""
    return sorted((path.stem for path in STACKS_FOLDER.glob("[0-9]*.in")), key=stack_order)


@cached
def matrix() -> Record:
    """The record: `date`, `platform`, `python`, `failures` and `stacks`, sorted by release."""
    measured: dict[str, dict[str, dict]] = {stack: {} for stack in stack_names()}
    machines, failures = set(), []
    for row in pages.data("evidence/rows/case.jsonl"):
        measured[row["stack"]][row["program"]] = row
        machines.add(row["machine"].partition(",")[0])
        failures += [row["program"]] * (row["program"] not in failures)
    stacks = [
        {
            "name": stack, "python": python_of(stack), "pins": pins(stack), "verdicts": verdicts,
            "measured": min(row["date"] for row in verdicts.values()),
        }
        for stack, verdicts in measured.items()
        if verdicts
    ]  # fmt: skip
    return {
        "date": max(stack["measured"] for stack in stacks),
        "platform": sorted(machines),
        "python": sorted({stack["python"] for stack in stacks}),
        "failures": failures,
        "stacks": stacks,
    }


def version_order(version: str) -> tuple[int, ...]:
    """Sort key of a release number such as "0.13.2"."""
    return tuple(int(part) for part in version.split("."))


def is_control(stack: Stack) -> bool:
    """Whether a stack differs from another in one library, and is not of its time."""
    return "-" in stack["name"] and "+" not in stack["name"]


def stacks() -> list[Stack]:
    """The columns of the matrix: a stack for every NumPyro release, without the controls."""
    ASKED.add(STACKS)
    return [stack for stack in matrix()["stacks"] if not is_control(stack)]


def verdict(stack: Stack, failure_id: str) -> dict[str, str]:
    """The `verdict` of one failure in a row, with the `type` and `message` that came with it.

    It is `not measured` in a row that was measured before the program was written or changed.
    """
    ASKED.add(failure_id)
    return stack["verdicts"].get(failure_id, {"verdict": UNKNOWN})


def answers() -> dict[str, list]:
    """Return what pages may say of each program, and under `STACKS` of all stacks, to compare."""
    programs, all_stacks = matrix()["failures"], matrix()["stacks"]
    verdicts = {
        name: [decided_by(name), *(verdict(stack, name)["verdict"] for stack in all_stacks)]
        for name in programs
    }
    return verdicts | {
        STACKS: [[stack["name"], stack["measured"], stack["pins"]] for stack in all_stacks]
    }


def newest() -> Stack:
    """The newest stack of the record."""
    return stacks()[-1]


def newest_stack() -> str:
    """The newest stack in words, and when it was measured: what *newest* means on a page."""
    stack = newest()
    names = [f"{TITLES[name]} {stack['pins'][name]}" for name in ("jax", "numpyro", "equinox")]
    return say("{stack}, measured on {date}", stack=", ".join(names), date=stack["measured"])


def stacks_of(failure_id: str) -> tuple[int, int]:
    """In how many stacks a program was measured, and how many there are."""
    ASKED.add(failure_id)
    all_stacks = matrix()["stacks"]
    return sum(failure_id in stack["verdicts"] for stack in all_stacks), len(all_stacks)


def decided_by(failure_id: str) -> tuple[str, ...]:
    """The libraries whose releases decide about a failure; the one that repaired it comes first.

    There are none of a program that was not measured.
    """
    from . import entries  # which says in what libraries an entry may name

    entry = entries.by_name().get(failure_id)
    return entry.decided_by if entry else ()


def _alike(failure_id: str, library: str) -> Callable[[Stack], bool]:
    """Whether the other deciding libraries of a row are in the range where the failure occurs."""
    bad = [stack for stack in matrix()["stacks"] if verdict(stack, failure_id)["verdict"] in BAD]
    ranges = {}
    for other in decided_by(failure_id):
        if other != library and bad:
            releases = [version_order(stack["pins"][other]) for stack in bad]
            ranges[other] = min(releases), max(releases)
    return lambda stack: all(
        first <= version_order(stack["pins"][other]) <= last
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
    for stack in filter(_alike(failure_id, library), matrix()["stacks"]):
        kind = verdict(stack, failure_id)["verdict"]
        if not kind.startswith(("cannot", UNKNOWN)):
            kinds.setdefault(stack["pins"][library], set()).add(kind)
    runs: list[Span] = []
    for release in sorted(kinds, key=version_order):
        if len(kinds[release]) > 1:
            raise ValueError(f"{library} {release} alone does not decide about {failure_id}")
        (kind,) = kinds[release]
        first = runs.pop().first if runs and runs[-1].verdict == kind else release
        runs.append(Span(kind, first, release))
    return runs


def boundaries(failure_id: str, library: str | None = None) -> list[tuple[str, str]]:
    """The closed ranges of releases in which a failure fails, warns or is wrong.

    `[("0.13.0", "0.16.1")]` says that 0.13.0 is the first such release and 0.16.1 the last.
    """
    runs = groupby(spans(failure_id, library), lambda span: span.verdict in BAD)
    bad_runs = [list(run) for bad, run in runs if bad]
    return [(run[0].first, run[-1].last) for run in bad_runs]


def changes(failure_id: str, library: str | None = None) -> list[tuple[str, str, str]]:
    """Each release at which the verdict changes, what it was, and what it is; oldest first."""
    pairs = pairwise(spans(failure_id, library))
    return [(after.first, before.verdict, after.verdict) for before, after in pairs]


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
    runs = spans(failure_id, library)
    if not runs:
        return say("ran in no measured stack")
    pins = (stack["pins"] for stack in matrix()["stacks"])
    first_of_all = min((pin[library] for pin in pins if library in pin), key=version_order)
    date = newest()["measured"]
    ends = runs[0].first, runs[-1].last, runs[0].first == first_of_all, date
    measured_on, stacks = stacks_of(failure_id)
    parts: list[str] = []
    bad_before = False
    for span in runs:
        bad = span.verdict in BAD
        if bad:
            title = "" if parts else f"{TITLES[library]} "
            measured = (
                _range(span, *ends) if measured_on == stacks else between(span.first, span.last)
            )
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
    partly = say(" (measured on {known} of {stacks} stacks)", known=measured_on, stacks=stacks)
    return (say(", ").join(parts) or none) + (partly if measured_on < stacks else "")
