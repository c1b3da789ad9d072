"""The book's directives: what a page asks the catalogue, the matrix or the workshop's plan for."""

from __future__ import annotations

import html
from collections.abc import Callable
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from bookkit import (
    avoid,
    can_i_use,
    casebook,
    catalogue,
    drawings,
    examined,
    pages,
    reading_time,
    records,
    taught,
    upstream,
    versions,
)  # fmt: skip
from bookkit.languages import say
from trace_evidence import steps


class Generated(SphinxDirective):
    """A directive whose content is MyST Markdown that the catalogue provides."""

    def parse(self, text: str) -> list[nodes.Node]:
        """Parse Markdown as if it stood in the page."""
        parent = nodes.Element()
        self.state.nested_parse(StringList(text.splitlines(), source="catalogue"), 0, parent)
        for node in parent.findall(nodes.TextElement):
            # It is in the page's language already: `say` has put it into words.
            if not isinstance(node, nodes.Inline):
                node["translatable"] = False
        return parent.children


class FrontCard(Generated):
    """The card at the top of a failure chapter, from the catalogue and the front matter."""

    def run(self) -> list[nodes.Node]:
        """Return the card."""
        path = Path(self.env.doc2path(self.env.docname))
        meta = pages.front_matter(path)["failure"]
        failure = catalogue.load()[meta["id"]]
        minutes, measured = meta["minutes"], versions.sentence(failure.id)
        prerequisites = say(", ").join(
            say("{page} ({need})", page=f"[](/book/{need['page']}.md)", need=say(need["need"]))
            for need in meta["prerequisites"]
        )
        shown = {
            say("Symptom"): failure.symptom,
            say("Message"): f"`{failure.message}`{{.raised}}",
            say("Versions"): casebook.capital(measured),
            say("Time"): say(
                "reading {reading:.0f} min, teaching {teaching} min, exercises {exercises} min",
                reading=reading_time.of_page(path).minutes,
                **minutes,
            ),
            say("Needs"): prerequisites,
        }
        folded = {
            say("Cause"): failure.cause,
            say("Cure"): failure.cure + say(" [Jump to *Fix it*](#fix-it)."),
            say("Upstream"): say(", ").join(f"[{text}]({url})" for text, url in failure.upstream),
        }
        goals = [f"- {say(goal)}" for goal in meta["objectives"]]
        aims = [say("After this chapter you can") + "\n", *goals]
        return self.parse(casebook.as_card("front-card", shown, folded, aims))


def programs() -> dict[str, tuple[str, str]]:
    """Return the title and the page of each program of the matrix, chapters' own first."""
    own = {
        failure.id: (failure.title, f"book/failures/{failure.id}")
        for failure in catalogue.load().values()
    }
    return own | {slug: (case.title, case.page) for slug, case in records.load().items()}


class VersionMatrix(SphinxDirective):
    """The heat map: one row a program, grouped by chapter, one column a release of NumPyro."""

    MARKS = {  # noqa: RUF012
        "fails": "✕",
        "wrong": "≠",
        "warns": "!",
        "ok": "·",
        "cannot run": "–",  # noqa: RUF001
        "not measured": "",
    }

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        self.env.note_reread()
        rows = versions.rows()
        names = [row["row"].replace("+jax-", " + JAX ") for row in rows]
        heads = "".join(f'<th scope="col"><span>{name}</span></th>' for name in names)
        key = ", ".join(f"{self.mark(kind)} {say(kind)}" for kind in self.MARKS if self.MARKS[kind])
        body = []
        titles = {failure.id: failure.title for failure in catalogue.load().values()}
        for family, name in (titles | records.FAMILIES).items():
            cases = [c.slug for c in records.load().values() if c.family == family]
            known = [slug for slug in (family, *cases) if slug in versions.load()["failures"]]
            if not known:
                continue
            title = html.escape(say(name))
            span = f'<th colspan="{len(rows) + 2}" scope="rowgroup">{title}</th>'
            body.append(f"<tbody><tr>{span}</tr>{''.join(map(self.row, known))}</tbody>")
        table = (
            f'<p class="matrix-key">{key}</p><div class="matrix-scroll" tabindex="0" role="region" '
            f'aria-label="{say("Version matrix")}"><table class="version-matrix"><thead><tr>'
            f'<th scope="col">{say("Program")}</th><th scope="col">{say("Occurs in")}</th>'
            f"{heads}</tr></thead>{''.join(body)}</table></div>"
        )
        return [nodes.raw("", table, format="html")]

    def row(self, slug: str) -> str:
        """Return the row of one program: its link, its range, a mark for each release."""
        title, page = programs()[slug]
        title = steps.marked_up(title)
        if slug in catalogue.load():
            title = say("The failure of August 2024")
        href = self.env.app.builder.get_relative_uri(self.env.docname, page)
        cells = []
        for row in versions.rows():
            kind = versions.verdict(row, slug)["verdict"]
            cells.append(f"<td>{self.mark(kind)}</td>")
        ends = html.escape(casebook.occurs_in(slug))
        label = f'<th scope="row"><a href="{href}">{title}</a></th>'
        return f'<tr id="row-{slug}">{label}<td class="range">{ends}</td>{"".join(cells)}</tr>'

    def mark(self, kind: str) -> str:
        """Return one verdict as a mark that is also a word."""
        name = kind.replace(" ", "-")
        sign = f'<span aria-hidden="true">{self.MARKS[kind]}</span>'
        return f'<span class="verdict verdict-{name}" title="{say(kind)}">{sign}</span>'


def matrix_strip(directive: SphinxDirective, slug: str) -> list[nodes.Node]:
    """Return a program's row of the matrix as a strip of small marks that leads there."""
    if not casebook.is_measured(slug):
        return []
    env, page = directive.env, "book/reference/version-matrix"
    rows = versions.rows()
    marks = []
    for row in rows:
        kind = versions.verdict(row, slug)["verdict"]
        stack = ", ".join(f"{versions.TITLES[key]} {row['pins'][key]}" for key in versions.STACK)
        look = f'class="verdict verdict-{kind.replace(" ", "-")}" title="{stack}: {say(kind)}"'
        marks.append(f"<span {look}>{VersionMatrix.MARKS[kind]}</span>")
    href = f"{env.app.builder.get_relative_uri(env.docname, page)}#row-{slug}"
    words = html.escape(say("Version matrix") + say(": ") + casebook.occurs_in(slug))
    first, last = f"NumPyro {rows[0]['row']}", rows[-1]["pins"]["numpyro"]
    link = (
        f'<a class="matrix-strip" href="{href}"><b class="visually-hidden">{words}</b>'
        f'<small aria-hidden="true">{first}</small><span aria-hidden="true">{"".join(marks)}</span>'
        f'<small aria-hidden="true">{last}</small></a>'
    )
    return [nodes.raw("", link, format="html")]


def boundaries_table() -> str:
    """Return each boundary: the release, what changed in it, and the pull request."""
    rows = [say("| Boundary | Failure | Moved by |"), "|---|---|---|"]
    for row in versions.moved_by():
        title, page = programs()[row["failure"]]
        changes = versions.changes(row["failure"], row["library"])
        change = next(one for one in changes if one.release == row["release"])
        number = row["pull"].rpartition("/")[2]
        rows.append(
            f"| {versions.TITLES[row['library']]} {row['release']}: "
            + say("{before}, then {after}", before=say(change.before), after=say(change.after))
            + f" | [{title}](/{page}.md) | "
            + say("[Pull request {number}]({pull}). ", number=number, pull=row["pull"])
            + f"{row['says']} |"
        )
    return "\n".join(rows)


def stacks_table() -> str:
    """Return the stacks: the pins of each, how many programs do what there; how it was measured."""
    record = versions.load()
    names = [versions.TITLES[library] for library in versions.STACK]
    kinds = ["fails", "wrong", "warns", "ok", "cannot run"]
    rows = [
        f"| {' | '.join([*names, *map(say, kinds)])} |",
        "|---" * (len(names) + len(kinds)) + "|",
    ]
    for row in versions.rows():
        said = [parts["reproduce"]["verdict"] for parts in row["verdicts"].values()]
        cells = [row["pins"][library] for library in versions.STACK]
        rows.append(f"| {' | '.join([*cells, *(str(said.count(k)) for k in kinds)])} |")
    controls = len(record["rows"]) - len(versions.rows())
    measured = say(
        "Measured on {date}, on {platform} with CPython {python}: {programs} programs on "
        "{stacks} stacks, {controls} of them controls, which differ from another stack in one "
        "library. All pins of a stack, with hashes, are in its file in `stacks/matrix/`.",
        date=record["date"], platform=say(" and ").join(record["platform"]),
        python=say(" and ").join(record["python"]), programs=len(record["failures"]),
        stacks=len(record["rows"]), controls=controls,
    )  # fmt: skip
    return "\n".join([*rows, "", measured])


def code(signature: catalogue.Signature) -> str:
    """Return a wording as Markdown code."""
    text = signature.text.removeprefix(signature.type).removeprefix(": ")
    shown = f"{signature.type}: {text}" if text else signature.type
    return f"`` {shown} ``"


class MatrixStrip(SphinxDirective):
    """The row of a case in the version matrix, as a strip that leads there."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the strip."""
        self.env.note_dependency(str(versions.FILE))
        return matrix_strip(self, self.arguments[0])


class CaseCard(Generated):
    """The card at the top of a case, from its record and the matrix."""

    def run(self) -> list[nodes.Node]:
        """Return the card."""
        slug = Path(self.env.doc2path(self.env.docname)).stem
        card = self.parse(casebook.card(records.load()[slug]))
        card[0] += matrix_strip(self, slug)
        return card


class CaseIndex(Generated):
    """All cases with their filters; a plain table where scripts do not run."""

    def run(self) -> list[nodes.Node]:
        """Return the filters and the table."""
        self.env.note_reread()
        box = nodes.raw("", casebook.filters(), format="html")
        return [box, *self.parse(casebook.index_table())]


def name_cells(table: nodes.table) -> None:
    """Put its column's name before each cell of a table: on a phone each row is a card."""
    table["classes"].append("cards")
    head, *rows = table.findall(nodes.row)
    names = [entry.astext() for entry in head]
    for row in rows:
        for name, entry in list(zip(names, row, strict=True))[1:]:
            label = nodes.inline(text=say("{name}: ", name=name), classes=["on-phone"])
            entry[0].insert(0, label)


class Table(Generated):
    """What a function of `TABLES` says, of records and measurements: each build asks it anew."""

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return what the directive's name asks for."""
        self.env.note_reread()
        parsed = self.parse(TABLES[self.name](*self.arguments))
        if self.name in CARDS:
            name_cells(parsed[0])
        return parsed


class Drawing(SphinxDirective):
    """Drawings that no cell makes, in the page's colours; see `bookkit.drawings`."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Return the drawings, side by side where there is room."""
        names = self.arguments[0].split()
        drawn = "".join(map(drawings.inline, names))
        look = "drawing " + " ".join(names)
        return [nodes.raw("", f'<div class="{look}">{drawn}</div>', format="html")]


class CanIUse(Generated):
    """Each distribution in each construct, or one of the tables about them."""

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the table that the argument names."""
        self.env.note_reread()
        if self.arguments:
            return self.parse(getattr(can_i_use, f"{self.arguments[0]}_table")())
        uri = self.env.app.builder.get_relative_uri
        table = can_i_use.table(lambda page: uri(self.env.docname, page))
        return [nodes.raw("", table, format="html")]


TABLES: dict[str, Callable[..., str]] = {
    "avoid": avoid.table,
    "avoid-counted": avoid.counted_table,
    "avoid-stacks": avoid.stacks_table,
    "case-table": casebook.family_table,
    "examined-cases": examined.cases_table,
    "examined-corpus": examined.corpus_table,
    "examined-tools": examined.tools_table,
    "schedule": taught.schedule_table,
    "symptom-list": casebook.symptom_list,
    "upstream-summary": upstream.summary,
    "upstream-table": upstream.table,
    "upstream-rest": upstream.rest_table,
    "version-boundaries": boundaries_table,
    "version-table": stacks_table,
}
CARDS = ("avoid", "upstream-table")  # of many words: see `name_cells`
DIRECTIVES = {
    **dict.fromkeys(TABLES, Table),
    "can-i-use": CanIUse,
    "case-card": CaseCard,
    "case-index": CaseIndex,
    "drawing": Drawing,
    "front-card": FrontCard,
    "matrix-strip": MatrixStrip,
    "version-matrix": VersionMatrix,
}
