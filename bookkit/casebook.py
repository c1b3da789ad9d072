"""Cards and tables of the casebook, as Markdown, made from the records and the matrix."""

import html
import re
import textwrap
from collections.abc import Iterable

from trace_evidence.words import translatable

from . import entries, pages, versions
from .entries import Entry
from .languages import say

NOT_MEASURED = translatable("not measured yet: `make page`")
FULL_STOPS = ".。"
SHOWN = 4  # cases of a chapter that its table shows before the fold
WIDTH = 100  # characters of a line of evidence


def is_measured(slug: str) -> bool:
    """Tell whether any stack of the matrix knows a program."""
    return versions.stacks_of(slug)[0] > 0


def measured(case: Entry) -> str:
    """Return where a case occurs, in words, as the matrix has it."""
    if not is_measured(case.name):
        return say(NOT_MEASURED)
    wrong = "wasteful" if case.wasteful else "wrong"
    return closed_in_words(case) + capital(versions.sentence(case.name, wrong=wrong))


def closed_in_words(case: Entry) -> str:
    """Return what stands before the text of a case that does not fail any more, or nothing."""
    if fails_today(case):
        return ""
    return say("**Closed**: it does not fail with {stack}. ", stack=versions.newest_stack())


def capital(text: str) -> str:
    """Return a text as a sentence."""
    return say("{sentence}.", sentence=f"{text[0].upper()}{text[1:]}")


def fails_today(case: Entry) -> bool:
    """Tell whether a case occurs on the newest stack that was measured."""
    return versions.verdict(versions.newest(), case.name)["verdict"] != "ok"


def open_ranges(slug: str) -> dict[str, list[list]]:
    """Return where a program of the matrix goes wrong: first, last, and whether it still does.

    The key is a library that decides. What is older than all that was measured is not said to be
    right.
    """
    oldest_row, newest = versions.stacks()[0]["pins"], versions.newest()["pins"]
    measured_on, stacks = versions.stacks_of(slug)
    ranges: dict[str, list[list]] = {}
    for name in versions.decided_by(slug):
        partly = measured_on < stacks or name not in oldest_row
        oldest = [span.first for span in versions.spans(slug, name)[:1] if partly]
        ranges[name] = [
            ["0" if first in oldest else first, last, last == newest[name]]
            for first, last in versions.boundaries(slug, name)
        ]
    return ranges


def link(case: Entry) -> str:
    """Return a link to a case, by its title with its marks of code."""
    return f"[{case.title}](/{case.page}.md)"


def upstream(case: Entry) -> str:
    """Return what the trackers say of a case, as Markdown."""
    parts = []
    for thread in case.upstream:
        if "not_reported" in thread:
            parts.append(f"{{searched}}`{thread['not_reported']}`")
        else:
            says = say(": ") + thread["says"].rstrip(FULL_STOPS) if thread.get("says") else ""
            parts.append(f"[{thread['text']}]({thread['url']}){says}")
    return say(". ").join(part.rstrip(FULL_STOPS) for part in parts) + say(". ").rstrip()


def patch(case: Entry) -> str:
    """Return a sentence that leads to the patch for a case, or nothing where there is none."""
    defects = pages.data("evidence/upstream/index.toml")["defect"]
    if not any(case.name in defect["cases"] for defect in defects):
        return ""
    return say(" A patch and a test are ready: [Upstream](/book/reference/upstream.md).")


def card(case: Entry) -> str:
    """Return the card at the top of a case."""
    return as_card("front-card case-card", *rows_of_card(case))


def rows_of_card(case: Entry) -> tuple[dict[str, str], dict[str, str]]:
    """Return what the card of a case shows, and what it folds away, as Markdown by its keys."""
    if case.kind == "loud":
        means = say("an error")
    elif case.wasteful:
        means = say("time or memory is lost without an error")
    else:
        means = say("a wrong answer without an error")
    owner = say(entries.OWNERS[case.whose])
    library = entries.LIBRARIES[case.library]
    shown: dict[str, str] = {}
    if case.kind == "loud":
        texts = [f"{wording.type}: {wording.text}" for wording in case.wordings if wording.text]
        shown |= {say("Message"): f"`` {text} ``" for text in texts[:1]}
    elif evidence(case) != case.symptom:
        shown[say("It shows")] = evidence(case)
    what = say(
        "{mark} {means}; {owner} ({library}). "
        "One of the [cases](/book/cases/index.md) of {family}.",
        mark=f"{{inline-mark}}`{case.kind}: {say(case.kind)}`",
        means=means,
        owner=owner,
        library=library,
        family=families()[case.family],
    )
    shown |= {
        say("Symptom"): case.symptom,
        say("Versions"): measured(case),
        say("What it is"): f"{what} {case.costs}",
    }
    folded = {
        say("Cause"): case.cause,
        say("Cure"): case.cure + say(" [Jump to *Cure*](#cure)."),
        say("Upstream"): upstream(case) + patch(case),
    }
    return shown, folded


def as_table(head: str | Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table as Markdown, from its first line or the cells of it, and those of the rest."""
    lines = [f"| {' | '.join(cells)} |" for cells in rows]
    head = head if isinstance(head, str) else f"| {' | '.join(head)} |"
    return "\n".join([head, "|---" * (head.count("|") - 1) + "|", *lines])


def as_card(look: str, shown: dict[str, str], folded: dict[str, str], below: Iterable = ()) -> str:
    """Return a card as Markdown: rows that are shown, those that answer, folded, and the rest."""
    first, second = (
        [f"{key}\n: {value}\n" for key, value in rows.items()] for rows in (shown, folded)
    )
    opening = f'<details class="told"><summary>{say("Show cause, cure and reports")}</summary>\n'
    fold = [opening, *second, "</details>\n"]
    return "\n".join([f":::::{{div}} {look}", *first, *fold, *below, ":::::"])


def mark(case: Entry) -> str:
    """Return the marks of a case: silent or loud, and closed where it is fixed."""
    return f"{{inline-mark}}`{case.kind}: {say(case.kind)}`{closed(case)}"


def closed(case: Entry) -> str:
    """Return the mark of a case that does not fail on the newest stack, or nothing."""
    return "" if fails_today(case) else f" {{inline-mark}}`closed: {say('closed')}`"


def families() -> dict[str, str]:
    """Return all families in the book's order: the slug, and a link as Markdown."""
    chapters = {name: f"[](/book/failures/{name}.md)" for name in entries.chapters()}
    others = entries.families().items()
    return chapters | {key: f"{{ref}}`{family.title} <family-{key}>`" for key, family in others}


def family_table(family: str) -> str:
    """Return the cases of a family with what their programs show, what costs most first.

    All but the first are folded, and old links lead here.
    """
    chapter = entries.chapters().get(family)
    once = "".join(f'<span id="{name}"></span>' for name in chapter.once) if chapter else ""
    head = say("| Case | What its program shows |")
    cases = [case for case in entries.cases().values() if case.family == family]
    cases.sort(key=lambda case: not fails_today(case))
    rows = [(f"{link(case)}{closed(case)}", evidence(case)) for case in cases]
    first, rest = rows[:SHOWN], rows[SHOWN:]
    more = say("{count} more, and what their programs show", count=len(rest))
    grid = '<div class="case-family">\n\n{}\n\n</div>'
    shown, folded = grid.format(as_table(head, first)), grid.format(as_table(head, rest))
    fold = f"<details><summary>{more}</summary>\n\n{folded}\n\n</details>"
    return f"{once}\n\n{shown}\n\n{fold if rest else ''}"


def evidence(case: Entry) -> str:
    """Return what a case's program printed when it went wrong, or the error that it raised."""
    # What builds the reader's package has none of what these need.
    from . import kept_outputs
    from .expectations import SILENT

    wrong = SILENT if case.kind == "silent" else "raises-exception"
    heading = "stdout|result" if case.kind == "silent" else "error"
    shown = kept_outputs.read(pages.path_of(case.page)) or []
    for cell, text in zip(case.cells, shown, strict=False):
        output = re.search(rf"^--- (?:now )?(?:{heading})\n((?:(?!---).+\n?)+)", text, re.M)
        if output and wrong in cell.node.metadata.get("tags", []):
            # An array of several lines is one.
            lines = re.sub(r"(?<=\])\n +(?=\[)", " ", output[1]).splitlines()
            width = WIDTH if wrong == SILENT else WIDTH // 2
            lines = [
                textwrap.shorten(line, width, placeholder="…")
                for line in lines[: 2 if wrong == SILENT else 1]
            ]
            return "<br>".join(f"`` {line} ``" for line in lines)
    return case.symptom


def index_table() -> str:
    """Return all cases as one table, family by family, in each what costs most first.

    Kind, costs and library stand under the title: columns of their own would leave the symptom
    four words a line.
    """
    head = say("| Case | What you see | Occurs in |")
    label = f'<span class="on-phone">{say("Occurs in: ")}</span>'
    order, rows = list(families()), []
    for case in sorted(entries.cases().values(), key=lambda case: order.index(case.family)):
        costs = say(entries.SEVERITIES[case.severity])
        facts = f"{mark(case)} {costs} · {entries.LIBRARIES[case.library]}"
        title = f"{link(case)}<br><small>{facts}</small>"
        rows.append((title, case.symptom, f"{label}{occurs_in(case.name)}"))
    return f":::{{table}}\n:class: case-index\n\n{as_table(head, rows)}\n:::"


def occurs_in(slug: str) -> str:
    """Return the ranges of releases in which a program of the matrix goes wrong."""
    if not is_measured(slug):
        return say(NOT_MEASURED)
    oldest, newest = (versions.stacks()[end]["pins"] for end in (0, -1))
    parts = []
    for name in versions.decided_by(slug):
        for first, last in versions.boundaries(slug, name):
            ends = versions.between(first, last)
            whole = (first, last) == (oldest.get(name), newest[name])
            words = say("all {library} releases", library=versions.TITLES[name])
            parts.append(words if whole else f"{versions.TITLES[name]} {ends}")
    measured_on, stacks = versions.stacks_of(slug)
    partly = say(" (measured on {known} of {stacks} stacks)", known=measured_on, stacks=stacks)
    return say("; ").join(parts) + (partly if measured_on < stacks else "")


def filters() -> str:
    """Return the filters of the index, hidden where scripts do not run. See `casebook.js`."""

    def options(names: dict) -> str:
        words = {"": say("all")} | {key: say(name) for key, name in names.items()}
        return "".join(f'<option value="{k}">{html.escape(v)}</option>' for k, v in words.items())

    used = {case.library for case in entries.cases().values()}
    libraries = {key: name for key, name in entries.LIBRARIES.items() if key in used}
    by_slug = {
        slug: [case.kind, case.library, list(case.see), open_ranges(slug), case.severity]
        for slug, case in entries.cases().items()
    }
    data = entries.as_json(by_slug).replace("<", "\\u003c")
    return f"""\
<form id="case-filter">
<label>{say("Words")}
<input type="search" name="words" autocomplete="off" spellcheck="false"></label>
<label>{say("Kind")} <select name="kind">{options(entries.KINDS)}</select></label>
<label>{say("Costs")} <select name="costs">{options(entries.SEVERITIES)}</select></label>
<label>{say("Library")} <select name="library">{options(libraries)}</select></label>
<label>{say("Symptom")} <select name="symptom">{options(entries.SEE)}</select></label>
<label>NumPyro <input name="numpyro" size="7" placeholder="latest" autocomplete="off"></label>
<label>JAX <input name="jax" size="7" placeholder="latest" autocomplete="off"></label>
<label>Equinox <input name="equinox" size="7" placeholder="latest" autocomplete="off"></label>
<button type="reset">{say("Show all")}</button>
<p id="case-count" role="status"></p>
</form>
<script type="application/json" id="case-data">{data}</script>
"""
