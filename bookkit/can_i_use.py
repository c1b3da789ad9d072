"""The page *Can I use it?*: its table, as HTML and as Markdown."""

import html
import itertools
from collections import Counter
from collections.abc import Callable
from typing import Any

from trace_evidence.can_i_use import also, cause

from . import can_i_use_record as record
from . import casebook, entries
from .languages import say

MARKS = {"r": ("ok", "·"), "W": ("wrong", "≠"), "X": ("fails", "✕"), "-": ("cannot-run", "–")}  # noqa: RUF001


def words(letter: str) -> str:
    """Return a verdict in words."""
    names = {
        "r": say("right"), "W": say("wrong"), "X": say("raises"), "-": say("does not apply"),
        "?": say("not measured"),
    }  # fmt: skip
    return names[letter]


def data() -> dict[str, Any]:
    """Return what the reader's package knows: each cell of the newest stack, and its program."""
    stack, cells = record.stacks()[-1], record.cells()
    return {
        "stack": stack,
        "constructs": record.CONSTRUCTS,
        "rows": {
            name: ["".join(letters.values()), cells[name]["made"], cells[name]["said"]]
            for name, letters in record.letters_on(stack).items()
        },
        "causes": record.CAUSES,
        "left_out": record.INSTANCES["left_out"],
        "scipy": record.INSTANCES["scipy"],
        "far": record.INSTANCES["far"],
        "also": called(),
        "source": (record.FOLDER / "constructs.py").read_text(encoding="utf-8"),
    }


def sign(letter: str) -> str:
    """Return the sign of a verdict, as the key has it."""
    kind, shown = MARKS.get(letter, ("not-measured", "?"))
    return f'<span class="verdict verdict-{kind}" aria-hidden="true">{shown}</span>'


def called() -> dict[str, str]:
    """Return what else rows and constructs are called, by name: also by the table's heads."""
    names = dict(record.INSTANCES["also"])
    for head in record.HEADS:
        for name, words in head["words"].items():
            alone = words.replace(",", "")  # a comma is between two names
            names[name] = ", ".join(filter(None, [names.get(name), alone]))
    return names


def mark(letter: str, text: str = "", href: str = "") -> str:
    """Return the cell of a verdict, or a link to the case behind it, with a text about it."""
    kind, shown = MARKS.get(letter, ("not-measured", "?"))
    if href:
        link = (
            f'<a class="verdict verdict-{kind}" href="{href}" aria-label="{text}" title="{text}">'
        )
        return f"<td>{link}{shown}</a></td>"
    if letter in "WX":
        shown = f'<span class="verdict verdict-{kind}">{shown}</span>'
    return f'<td title="{words(letter)}">{shown}</td>'


def of_the_construct_table() -> str:
    """Return a sentence for each construct that goes wrong whatever the distribution is."""
    letters_of, lines = record.letters_on(record.stacks()[-1]), []
    for name, text in record.INSTANCES["of_the_construct"].items():
        letters = Counter(of_one[name] for of_one in letters_of.values())
        bad, asked = letters["W"] + letters["X"], len(letters_of) - letters["-"] - letters["?"]
        counted = say("This is so for {bad} of {all} distributions", bad=bad, all=asked)
        case = entries.cases()[cause(record.CAUSES, "Normal", name, "W")["case"]]
        lines.append(f"- {say(text)} {counted}: {casebook.link(case)}.")
    return "\n".join(lines)


def table(address: Callable[[str], str]) -> str:
    """Return the table of the newest stack, as far as the distribution decides.

    Args:
        address: gives the address of a page; red cells lead to their cases.
    """
    by_distribution, cells_of, body = record.letters_on(record.stacks()[-1]), record.cells(), []
    heads = {
        name: say("{group}: {head}", group=say(head["name"]), head=say(words))
        for head in record.HEADS
        for name, words in head["words"].items()
    }
    called = record.INSTANCES["also"]
    for distribution, letters in by_distribution.items():
        cells = []
        red: dict[str, list[str]] = {"W": [], "X": []}
        for name, head in heads.items():
            letter, shown, named = letters[name], mark(letters[name]), f"<span>{head}</span>"
            why = cause(record.CAUSES, distribution, name, letter)
            if letter in "WX" and "case" in why:
                said = cells_of[distribution]["said"].get(name, "")
                text = f"{distribution}, {head}: {words(letter)}. {said}"
                href = address(f"book/cases/{why['case']}")
                shown, named = mark(letter, html.escape(text), href), f'<a href="{href}">{head}</a>'
            cells.append(shown)
            if letter in red:
                red[letter].append(named)
        summary = say(", ").join(f"{words(kind)}: {len(red[kind])}" for kind in red if red[kind])
        names = "".join(red["W"] + red["X"])
        verdict = f'{summary}<span class="red-names">{names}</span>' if summary else words("r")
        other_names = also(called, distribution)
        label = f'<th scope="row" data-also="{other_names}"><code>{distribution}</code></th>'
        body.append(f'<tr>{label}<td class="range">{verdict}</td>{"".join(cells)}</tr>')
    key = say(", ").join(f"<span>{sign(letter)} {words(letter)}</span>" for letter in "rWX-")
    says = {
        "all": say("{right} of {all} right"), "bad": say("not right: {names}"),
        "none": say("No such distribution or construct."), "comma": say(", "),
        "right": words("r"), "wrong": words("W"), "fails": words("X"),
    }  # fmt: skip
    attributes = " ".join(f'data-{key}="{text}"' for key, text in says.items())
    groups = "".join(
        f'<th scope="colgroup" colspan="{len(head["words"])}">{say(head["name"])}</th>'
        for head in record.HEADS
    )
    columns = "".join(
        f'<th scope="col" title="{say(record.CONSTRUCTS[name]).replace("`", "")} ({name})" '
        f'data-also="{also(called, name)}" data-name="{name}">'
        f"<span>{say(words)}</span></th>"
        for head in record.HEADS
        for name, words in head["words"].items()
    )
    return (
        f'<form id="cell-filter"><label>{say("Distribution")} <input type="search" name="row" '
        f'autocomplete="off"></label> <label>{say("Construct")} <input type="search" '
        f'name="column" autocomplete="off"></label> <label class="only"><input type="checkbox" '
        f'name="red"> {say("only what is not right")}</label></form>'
        f'<p id="cell-verdict" role="status" {attributes}></p><p class="matrix-key">{key}</p>'
        f'<div class="matrix-scroll" tabindex="0" '
        f'role="region" aria-label="{say("Distributions and constructs")}">'
        f'<table class="version-matrix cells"><thead><tr><th scope="col" rowspan="2">'
        f'{say("Distribution")}</th><th scope="col" rowspan="2">{say("Verdict")}</th>{groups}</tr>'
        f"<tr>{columns}</tr></thead><tbody>{''.join(body)}</tbody></table></div>"
    )


def constructs_table() -> str:
    """Return what each construct does, and how many distributions are what in it."""
    letters_of = record.letters_on(record.stacks()[-1]).values()
    head, rows = [say("Construct"), say("What is computed twice"), *map(words, "rWX-")], []
    for name, what in record.CONSTRUCTS.items():
        counts = Counter(letters[name] for letters in letters_of)
        rows.append((f"`{name}`", say(what), *(str(counts[letter]) for letter in "rWX-")))
    return casebook.as_table(head, rows)


def causes_table() -> str:
    """Return what is behind the red cells: how many, and the case or why it is none."""
    counts: Counter[int] = Counter()
    for distribution, letters in record.letters_on(record.stacks()[-1]).items():
        for name, letter in letters.items():
            if letter in "WX":
                why = cause(record.CAUSES, distribution, name, letter)
                counts[record.CAUSES.index(why) if why else -1] += 1
    rows = []
    for place, count in counts.most_common():
        why = record.CAUSES[place] if place >= 0 else {"note": "not yet followed"}
        case = entries.cases().get(why.get("case", ""))
        parts = [casebook.link(case) if case else "", say(why.get("note", ""))]
        rows.append((str(count), say(". ").join(filter(None, parts))))
    return casebook.as_table(say("| Cells | What is behind them |"), rows)


def stacks_table() -> str:
    """Return how many cells are what on each stack, and the distributions that are left out."""
    rows = []
    for stack in record.stacks():
        counts = Counter(
            letter for letters in record.letters_on(stack).values() for letter in letters.values()
        )
        release, _, jax = stack.partition("+jax-")
        name = f"NumPyro {release}" + (f", JAX {jax}" if jax else "")
        rows.append((name, *(str(counts[letter]) for letter in "rWX-?")))
    return casebook.as_table([say("Stack"), *map(words, "rWX-?")], rows)


def changes_table() -> str:
    """Return how many cells changed from stack to stack, with examples."""
    head = [say("Construct"), say("From"), say("To"), say("Cells"), say("Distributions")]
    rows = []
    for before, after in itertools.pairwise(record.stacks()):
        changed: dict[tuple[str, str, str], list[str]] = {}
        for distribution, construct, was, is_ in record.changes(before, after):
            if "-" not in (was, is_):
                changed.setdefault((construct, was, is_), []).append(f"`{distribution}`")
        for (construct, was, is_), names in changed.items():
            shown = ", ".join(names[:3]) + (" …" if len(names) > 3 else "")
            ends = f"{before}: {words(was)}", f"{after}: {words(is_)}"
            rows.append((f"`{construct}`", *ends, str(len(names)), shown))
    return casebook.as_table(head, rows)


def left_out_table() -> str:
    """Return the distributions that are left out, and why."""
    rows = ((f"`{name}`", say(why)) for name, why in record.INSTANCES["left_out"].items())
    return casebook.as_table(say("| Left out | Why |"), rows)
