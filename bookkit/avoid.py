"""Read `evidence/releases.toml` and what was counted: the releases that compute wrong numbers."""

from typing import Any

from . import casebook, entries, pages, versions
from .languages import in_language, say
from .versions import version_order

TABLES, ROWS = "evidence/releases.toml", "evidence/rows/release.jsonl"
TOLD = ("library", "since", "until", "symptom", "cure", "flag", "url")


def tables(part: str = "avoid") -> list[dict[str, Any]]:
    """Return the tables of releases to avoid, or of what was `mended`, in the order of the page."""
    empty = {"until": "", "flag": "", "spoiled": "", "cure": ""}
    tables = pages.data(TABLES)[part]
    return [in_language({**empty, **table}, "symptom", "spoiled", "cure") for table in tables]


def counted() -> dict[str, dict[str, Any]]:
    """Return what each program counted, by program and release."""
    counts: dict[str, dict[str, Any]] = {}
    for row in pages.data(ROWS):
        release = row["stack"].split()[0].partition("==")[2]
        counts.setdefault(row["program"], {})[release] = row
    return counts


def rules() -> dict[str, dict[str, str]]:
    """Return what the reader's package knows of these releases, by program."""
    return {table["program"]: {key: table[key] for key in TOLD} for table in tables()}


def releases(table: dict[str, Any]) -> str:
    """Return the wrong releases of a table in words."""
    if table["until"]:
        return versions.between(table["since"], table["until"])
    measured = counted()[table["program"]]
    newest = max(measured, key=version_order)
    return say(
        "{since} to {newest}, the newest on {date}",
        since=table["since"], newest=newest, date=measured[newest]["date"],
    )  # fmt: skip


def thread(url: str) -> str:
    """Return a link to a thread, named by its project and number."""
    project, _, number = url.split("/")[4:7]
    return f"[{project} {number}]({url})"


def table() -> str:
    """Return the table of the page: which releases, what is wrong, what helps."""
    head = say("| Release | What is wrong | It may have spoiled | Cure | Thread |")
    rows = []
    for table in tables():
        cure = table["cure"]
        if table["flag"]:
            cure += say(" Or set `XLA_FLAGS={flag}`.", flag=table["flag"])
        release = f"{table['library']} {releases(table)}"
        rows.append((release, table["symptom"], table["spoiled"], cure, thread(table["url"])))
    return casebook.as_table(head, rows)


def mended_table() -> str:
    """Return what is right again: the last release that was wrong, and the first right one."""
    head = say("| What was wrong | Wrong up to | Right from | Where |")
    rows = []
    for table in tables("mended"):
        ordered = sorted(counted().get(table["program"], {}), key=version_order)
        ends = ordered[ordered.index(table["until"]) :][:2]
        library = versions.TITLES[table["library"].replace("jaxlib", "jax")]
        rows.append((table["symptom"], *(f"{library} {end}" for end in ends), thread(table["url"])))
    stacks = versions.matrix()["stacks"]
    for case in entries.cases().values():
        verdicts = [stack["verdicts"].get(case.name, {}).get("verdict") for stack in stacks]
        if verdicts[-1] == "ok" and "wrong" in verdicts:
            library, last = case.decided_by[0], len(verdicts) - 1 - verdicts[::-1].index("wrong")
            ends = [stack["pins"][library] for stack in stacks[last : last + 2]]
            named = (f"{versions.TITLES[library]} {end}" for end in ends)
            rows.append((case.symptom, *named, casebook.link(case)))
    return casebook.as_table(head, rows)


def counted_table(program: str = "") -> str:
    """Return what each program, or one of them, counted; releases that counted alike together."""
    head = say("| Program | Release | Wrong numbers | With the flag | Measured |")
    by_program = counted()
    rows: dict[tuple[str, ...], list[str]] = {}
    for table in tables():
        if program not in ("", table["program"]):
            continue
        counts = by_program.get(table["program"], {})
        for release in sorted(counts, key=version_order):
            measured = counts[release]
            file = pages.source(f"evidence/releases/{table['program']}.py")
            name = f"[`{table['program']}`]({file}), {table['library']}"
            words = [in_words(measured.get(key)) for key in ("counted", "with_flag")]
            rows.setdefault((name, *words, measured["date"]), []).append(release)
    return casebook.as_table(
        head, [(name, ", ".join(some), *rest) for (name, *rest), some in rows.items()]
    )


def in_words(numbers: list[int] | None) -> str:
    """Return how many numbers were wrong, of how many, or nothing where that was not measured."""
    if numbers is None:
        return ""
    return say("{wrong:,} of {all:,}", wrong=numbers[0], all=numbers[1])


def stacks_table() -> str:
    """Return which stacks of the version matrix hold such a release, one row of `load` a line."""
    head = say("| Release | Measured stacks that hold it |")
    rows, stacks = [], [stack["pins"] for stack in versions.matrix()["stacks"]]
    for table in tables():
        first, last = version_order(table["since"]), version_order(table["until"] or "999")
        held = [
            pins["jax"] for pins in stacks if first <= version_order(pins[table["library"]]) <= last
        ]
        words = say(
            "{number} of {all}, with JAX {releases}",
            number=len(held), all=len(stacks), releases=", ".join(dict.fromkeys(held)),
        )  # fmt: skip
        rows.append((f"{table['library']} {releases(table)}", words if held else say("none")))
    return casebook.as_table(head, rows)
