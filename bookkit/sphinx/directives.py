"""The book's directives: what a page asks the catalogue, the matrix or the workshop's plan for."""

import html
import itertools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

from bookkit import (
    avoid,
    can_i_use,
    casebook,
    entries,
    examined,
    illustrations,
    languages,
    pages,
    predictions,
    publish,
    taught,
    upstream,
    versions,
)  # fmt: skip
from bookkit.languages import say
from trace_evidence import steps

from .render import raw
from .written import GENERATED, Nodes, Written

Maker = TypeVar("Maker", bound=Callable[..., Nodes | str])
MATRIX = "book/reference/version-matrix"
MARKS = {
    "fails": "✕",
    "wrong": "≠",
    "warns": "!",
    "ok": "·",
    "cannot run": "–",  # noqa: RUF001
    "not measured": "",
}


BAR = 4  # stacks that are wide enough for the names of their releases


class Generated(Written):
    """A directive that shows what a function makes of the records, for the page that it is on."""

    final_argument_whitespace = True

    def parse(self, text: str) -> Nodes:
        """Parse Markdown that is in the page's language already: `say` has put it into words."""
        parsed = self.blocks(text)
        for node in nodes.Element("", *parsed).findall(nodes.TextElement):
            if not isinstance(node, nodes.Inline):
                node["translatable"] = False
        return parsed

    def address(self, page: str) -> str:
        """Return the address of a page, from the one that is built."""
        return self.env.app.builder.get_relative_uri(self.env.docname, page)


ASKED = "programs of the matrix"
"""What Sphinx keeps of a page: the programs that it asked the matrix for."""
DIRECTIVES: dict[str, type[SphinxDirective]] = {}


def outdated(app: Sphinx, env: BuildEnvironment, *changed: set[str]) -> list[str]:
    """Return the pages that show what others say, where any says something else than it did.

    That is front matter, titles and predictions, and of the matrix the programs that a page asked
    for; of all else a change has the site built anew.
    """
    texts = [pages.path_of(item.page).read_text() for item in pages.contents()]
    shown: list[Any] = [
        (text.partition("\n---")[0], re.findall("^# .+$", text, re.M), predictions.find(text))
        for text in texts
    ]
    shown = [shown, [(entry["shows"], entry["printed"]) for entry in publish.everything().values()]]
    before = vars(env).get("said")
    vars(env)["said"] = shown
    old, answers = vars(env).get("told", {}), versions.answers()
    vars(env)["told"] = answers
    new = {name for name in {*old, *answers} if old.get(name) != answers.get(name)}
    return [
        page
        for page, meta in env.metadata.items()
        if (GENERATED in meta and before != shown) or new & {*meta.get(ASKED, ())}
    ]


def forget(app: Sphinx, page: str, source: list[str]) -> None:
    """Begin to note which programs of the matrix a page asks for."""
    versions.ASKED.clear()


def note(app: Sphinx, doctree: nodes.document) -> None:
    """Keep which those are."""
    app.env.metadata[app.env.docname][ASKED] = sorted(versions.ASKED)


def directive(name: str, arguments: int = 0, optional: int = 0) -> Callable[[Maker], Maker]:
    """Make a directive of a function, which gives nodes, or HTML.

    The function is given the directive and its arguments, of which there are so many; see
    `outdated` for when it is asked anew.
    """

    def register(make: Maker) -> Maker:
        class Made(Generated):
            required_arguments, optional_arguments = arguments, optional

            def run(self) -> Nodes:
                self.env.metadata[self.env.docname][GENERATED] = True
                made = make(self, *self.arguments)
                return [raw(made)] if isinstance(made, str) else made

        DIRECTIVES[name] = Made
        return make

    return register


@directive("front-card")
def front_card(here: Generated) -> Nodes:
    """Return the card at the top of a failure chapter."""
    meta = pages.meta(here.env.docname)["chapter"]
    failure = entries.chapters()[Path(here.env.docname).name]
    shown = {
        say("Symptom"): failure.symptom,
        say("Message"): f"`{failure.message}`{{.raised}}",
        say("Versions"): casebook.capital(versions.sentence(failure.name)),
        say("Time"): say(
            "reading {reading} min, teaching {teaching} min, exercises {exercises} min",
            **meta["minutes"],
        ),
    }
    folded = {
        say("Cause"): failure.cause,
        say("Cure"): failure.cure + say(" [Jump to *Fix it*](#fix-it)."),
        say("Upstream"): say(", ").join(
            f"[{thread['text']}]({thread['url']})" for thread in failure.upstream
        ),
    }
    aims = [say("After this chapter you can") + "\n"]
    aims += [f"- {say(goal)}" for goal in meta["objectives"]]
    return here.parse(casebook.as_card("front-card", shown, folded, aims))


def programs() -> dict[str, tuple[str, str]]:
    """Return the title and the page of each program of the matrix, chapters' own first."""
    named = (entries.chapters() | entries.cases()).items()
    return {name: (entry.title, entry.page) for name, entry in named}


def mark(kind: str) -> str:
    """Return one verdict as a mark that is also a word."""
    name = kind.replace(" ", "-")
    sign = f'<span aria-hidden="true">{MARKS[kind]}</span>'
    return f'<span class="verdict verdict-{name}" title="{say(kind)}">{sign}</span>'


@directive("version-matrix")
def version_matrix(here: Generated) -> str:
    """Return the heat map: one row a program, by chapter, one column a release of NumPyro."""
    stacks = versions.stacks()
    names = [stack["name"].replace("+jax-", " + JAX ") for stack in stacks]
    heads = "".join(f'<th scope="col"><span>{name}</span></th>' for name in names)
    key = ", ".join(f"{mark(kind)} {say(kind)}" for kind in MARKS if MARKS[kind])
    body = []
    for family, entry in (entries.chapters() | entries.families()).items():
        cases = [case.name for case in entries.cases().values() if case.family == family]
        measured = [slug for slug in (family, *cases) if slug in versions.matrix()["failures"]]
        if measured:
            title = html.escape(entry.title)
            span = f'<th colspan="{len(stacks) + 2}" scope="rowgroup">{title}</th>'
            lines = "".join(matrix_row(here, slug) for slug in measured)
            body.append(f"<tbody><tr>{span}</tr>{lines}</tbody>")
    return (
        f'<p class="matrix-key">{key}</p><div class="matrix-scroll" tabindex="0" role="region" '
        f'aria-label="{say("Version matrix")}"><table class="version-matrix"><thead><tr>'
        f'<th scope="col">{say("Program")}</th><th scope="col">{say("Occurs in")}</th>'
        f"{heads}</tr></thead>{''.join(body)}</table></div>"
    )


def matrix_row(here: Generated, slug: str) -> str:
    """Return the row of one program: its link, its range, a mark for each release."""
    title, page = programs()[slug]
    title = steps.marked_up(title)
    if slug in entries.chapters():
        title = say("The failure of August 2024")
    verdicts = [
        (versions.verdict(stack, slug)["verdict"], stack["name"]) for stack in versions.stacks()
    ]
    runs = [[*run] for _, run in itertools.groupby(verdicts, key=lambda pair: pair[0])]
    cells = "".join(bar(run[0][0], [stack for _, stack in run]) for run in runs)
    ends = html.escape(casebook.occurs_in(slug))
    label = f'<th scope="row"><a href="{here.address(page)}">{title}</a></th>'
    return f'<tr id="row-{slug}">{label}<td class="range">{ends}</td>{cells}</tr>'


def bar(kind: str, stacks: list[str]) -> str:
    """Return the cell of stacks in a row with one verdict, with their releases where they fit."""
    ends = [stack.replace("+jax-", " + JAX ") for stack in (stacks[0], stacks[-1])]
    where = versions.between(*ends)
    bad = kind in versions.BAD and len(stacks) >= BAR
    text = f" <small>{versions.between(*(end.partition(' ')[0] for end in ends))}</small>" * bad
    title = html.escape(f"{where}: {say(kind)}")
    sign = f'<span aria-hidden="true">{MARKS[kind]}{text}</span>'
    name = kind.replace(" ", "-")
    return (
        f'<td colspan="{len(stacks)}" style="--stacks: {len(stacks)}">'
        f'<span class="verdict verdict-{name}" title="{title}">{sign}</span></td>'
    )


@directive("matrix-strip", arguments=1)
def matrix_strip(here: Generated, slug: str) -> str:
    """Return a program's row of the matrix as a strip of small marks that leads there."""
    if not casebook.is_measured(slug):
        return ""
    stacks = versions.stacks()
    marks = []
    for stack in stacks:
        kind = versions.verdict(stack, slug)["verdict"]
        pins = ", ".join(f"{versions.TITLES[key]} {stack['pins'][key]}" for key in versions.STACK)
        look = f'class="verdict verdict-{kind.replace(" ", "-")}" title="{pins}: {say(kind)}"'
        marks.append(f"<span {look}>{MARKS[kind]}</span>")
    words = html.escape(say("Version matrix") + say(": ") + casebook.occurs_in(slug))
    library = versions.decided_by(slug)[0]
    library = library if library in versions.STACK else "numpyro"
    first, last = (stack["pins"][library] for stack in (stacks[0], stacks[-1]))
    return (
        f'<a class="matrix-strip" href="{here.address(MATRIX)}#row-{slug}">'
        f'<b class="visually-hidden">{words}</b>'
        f'<small aria-hidden="true">{versions.TITLES[library]} {first}</small>'
        f'<span aria-hidden="true">{"".join(marks)}</span>'
        f'<small aria-hidden="true">{last}</small></a>'
    )


def boundaries_table() -> str:
    """Return each boundary: the release, what changed in it, and the pull request."""
    rows = []
    for entry, boundary in (
        (chapter, boundary)
        for chapter in entries.chapters().values()
        for boundary in chapter.moved_by
    ):
        changes = versions.changes(entry.name, boundary["library"])
        before, after = next(kinds for release, *kinds in changes if release == boundary["release"])
        change = say("{before}, then {after}", before=say(before), after=say(after))
        number = boundary["pull"].rpartition("/")[2]
        pull = say("[Pull request {number}]({pull}). ", number=number, pull=boundary["pull"])
        where = f"{versions.TITLES[boundary['library']]} {boundary['release']}: {change}"
        rows.append((where, f"[{entry.title}](/{entry.page}.md)", f"{pull}{boundary['says']}"))
    return casebook.as_table(say("| Boundary | Failure | Moved by |"), rows)


def stacks_table() -> str:
    """Return the stacks: the pins of each, how many programs do what there; how it was measured."""
    record = versions.matrix()
    kinds = ["fails", "wrong", "warns", "ok", "cannot run"]
    head = [*(versions.TITLES[library] for library in versions.STACK), *map(say, kinds)]
    rows = []
    for stack in versions.stacks():
        verdicts = [verdict["verdict"] for verdict in stack["verdicts"].values()]
        pins = (stack["pins"][library] for library in versions.STACK)
        rows.append((*pins, *(str(verdicts.count(kind)) for kind in kinds)))
    measured = say(
        "Measured on {date}, on {platform} with CPython {python}: {programs} programs on "
        "{stacks} stacks, {controls} of them controls, which differ from another stack in one "
        "library. All pins of a stack, with hashes, are in its file in `evidence/stacks/`.",
        date=record["date"], platform=say(" and ").join(record["platform"]),
        python=say(" and ").join(record["python"]), programs=len(record["failures"]),
        stacks=len(record["stacks"]), controls=len(record["stacks"]) - len(versions.stacks()),
    )  # fmt: skip
    return f"{casebook.as_table(head, rows)}\n\n{measured}"


def code(signature: entries.Wording) -> str:
    """Return a wording as Markdown code."""
    text = signature.text.removeprefix(signature.type).removeprefix(": ")
    return f"`` {signature.type}{': ' * bool(text)}{text} ``"


class CaseCard(Generated):
    """The card at the top of a case, from its record and the matrix."""

    def run(self) -> Nodes:
        """Return the card, which no other page changes."""
        slug = Path(self.env.doc2path(self.env.docname)).stem
        card = self.parse(casebook.card(entries.cases()[slug]))
        card[0] += raw(matrix_strip(self, slug))
        return card


@directive("case-index")
def case_index(here: Generated) -> Nodes:
    """Return all cases with their filters; a plain table where scripts do not run."""
    return [raw(casebook.filters()), *here.parse(casebook.index_table())]


def as_cards(parsed: Nodes, name: str) -> Nodes:
    """Put its column's name before each cell of some tables: on a phone each row is a card."""
    if name not in CARDS:
        return parsed
    parsed[0]["classes"] += CARDS[name].split()
    head, *rows = parsed[0].findall(nodes.row)
    names = [entry.astext() for entry in head]
    for row in rows:
        for name, entry in list(zip(names, row, strict=True))[1:]:
            label = nodes.inline(text=say("{name}: ", name=name), classes=["on-phone"])
            if entry.astext():
                entry[0].insert(0, label)
    return parsed


class Table(Generated):
    """What the function of `TABLES` says that has the directive's name."""

    optional_arguments = 1

    def run(self) -> Nodes:
        """Return the table, on a phone as cards."""
        self.env.metadata[self.env.docname][GENERATED] = True
        return as_cards(self.parse(TABLES[self.name](*self.arguments)), self.name)


@directive("drawing", arguments=1)
def drawing(here: Generated, argument: str) -> str:
    """Return drawings that no cell makes, side by side where there is room; see `illustrations`."""
    names = argument.split()
    drawn = "".join(map(illustrations.inline, names))
    return f'<div class="{" ".join(["drawing", *names])}">{drawn}</div>'


@directive("can-i-use", optional=1)
def cells_measured(here: Generated, part: str = "") -> Nodes | str:
    """Return each distribution in each construct, or one of the tables about them."""
    if part:
        return as_cards(here.parse(getattr(can_i_use, f"{part}_table")()), part)
    return can_i_use.table(here.address)


def at_handouts(page: str, file: str) -> str:
    """Return where a page leads to a file that is handed out; the English site has them all."""
    up = page.count("/") + bool(languages.spoken().address)
    return f"{'../' * up}{taught.IN_ROOM}/{file}"


def linked(address: str, words: str) -> str:
    """Return a link; a notebook, which a browser would show as text, is saved."""
    saved = " download" * (address.startswith("../") and address.endswith(".ipynb"))
    return f'<a href="{address}"{saved}>{words}</a>'


def in_english() -> str:
    """Return, in the other editions, a word on what is handed out."""
    is_english = languages.spoken().code == languages.ENGLISH
    return "" if is_english else f" ({say('in English')})"


@directive("learner-zip")
def learner_zip(here: Generated) -> Nodes | str:
    """Return the link to the zip for learners, where it is made."""
    if not any(map(taught.handed_out, taught.taught())):
        return []
    words = say("For learners: the bare notebooks, and what they import")
    return f"<p>{linked(at_handouts(here.env.docname, 'learner.zip'), words)}{in_english()}</p>"


@directive("handed-out")
def handed_out(here: Generated) -> Nodes | str:
    """Return what is handed out of each page that is taught, and the zips, as far as it is made."""
    files_of = {page: taught.handed_out(page) for page in taught.taught()}
    if not any(files_of.values()):
        return []
    if not all("instructor" in files for files in files_of.values()):
        here.env.note_reread()  # a page is not executed yet

    def link(file: str, words: str) -> str:
        return linked(at_handouts(here.env.docname, file), words)

    heads = [say("page"), say("bare notebook"), say("instructor's notebook")]
    heads += [say("slides"), say("handout")]
    rows = []
    for page, files in files_of.items():
        kinds = zip(("learner", "instructor", "slides", "handout"), heads[1:], strict=True)
        cells = [link(files[kind], words) if kind in files else "" for kind, words in kinds]
        title = f'<a href="{here.address(page)}">{html.escape(say(pages.title(page)))}</a>'
        rows.append(f'<tr><th scope="row">{title}</th><td>{"</td><td>".join(cells)}</td></tr>')
    labels = [words[:1].upper() + words[1:] for words in heads]
    labels[1:] = [words + in_english() for words in labels[1:]]
    head = "".join(f'<th scope="col">{words}</th>' for words in labels)
    files = {
        "learner.zip": say("For learners: the bare notebooks, and what they import"),
        "instructor.zip": say("For the instructor: all of it, to teach without a network"),
        "handouts/questions.pdf": say("The questions to ask of any failure, on one sheet"),
    }
    listed = "".join(f"<li>{link(file, words)}{in_english()}</li>" for file, words in files.items())
    return (
        f'<ul>{listed}</ul><div class="handed-out-table"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


TABLES: dict[str, Callable[..., str]] = {
    "avoid": avoid.table,
    "avoid-counted": avoid.counted_table,
    "avoid-mended": avoid.mended_table,
    "avoid-stacks": avoid.stacks_table,
    "case-table": casebook.family_table,
    "examined-cases": examined.cases_table,
    "examined-corpus": examined.corpus_table,
    "examined-sixties": examined.sixties_table,
    "schedule": taught.schedule_table,
    "upstream-summary": upstream.summary,
    "upstream-table": upstream.table,
    "upstream-rest": upstream.rest_table,
    "version-boundaries": boundaries_table,
    "version-table": stacks_table,
}
CARDS = {  # see `as_cards`
    **dict.fromkeys(("avoid", "avoid-mended", "upstream-table"), "cards"),
    **dict.fromkeys(
        ("avoid-counted", "constructs", "changes", "left_out", "examined-sixties"), "cards short"
    ),
}
DIRECTIVES |= {"case-card": CaseCard, **dict.fromkeys(TABLES, Table)}
