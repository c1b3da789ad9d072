"""The book's directives: what a page asks the catalogue, the matrix or the workshop's plan for."""

from __future__ import annotations

import json
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from bookkit import catalogue, pages, publish, versions
from bookkit.editions import notebooks
from hub import sizing


class Generated(SphinxDirective):
    """A directive whose content is MyST Markdown that the catalogue provides."""

    def parse(self, text: str) -> list[nodes.Node]:
        """Parse Markdown as if it stood in the page."""
        parent = nodes.Element()
        self.env.note_dependency(str(catalogue.FILE))
        self.state.nested_parse(StringList(text.splitlines(), source="catalogue"), 0, parent)
        return parent.children


class FrontCard(Generated):
    """The card at the top of a failure chapter, from the catalogue and the front matter."""

    def run(self) -> list[nodes.Node]:
        """Return the card."""
        meta = pages.front_matter(Path(self.env.doc2path(self.env.docname)))["failure"]
        failure = catalogue.load()[meta["id"]]
        self.env.note_dependency(str(versions.FILE))
        minutes, measured = meta["minutes"], versions.sentence(failure.id)
        prerequisites = ", ".join(
            f"[](/book/{need['page']}.md) ({need['need']})" for need in meta["prerequisites"]
        )
        rows = {
            "Symptom": failure.symptom,
            "Message": f"`{failure.message}`",
            "Cure": f"{failure.cure} [Jump to *Fix it*](#fix-it).",
            "Versions": f"{measured[0].upper()}{measured[1:]}.",
            "Upstream": ", ".join(f"[{text}]({url})" for text, url in failure.upstream),
            "Time": f"reading {minutes['reading']} min, teaching {minutes['teaching']} min, "
            f"exercises {minutes['exercises']} min",
            "Needs": prerequisites,
        }
        lines = [f"{key}\n: {value}\n" for key, value in rows.items()]
        goals = [f"- {goal}" for goal in meta["objectives"]]
        card = [":::::{div} front-card", *lines, "After this chapter you can\n", *goals, ":::::"]
        return self.parse("\n".join(card))


class FailureTable(Generated):
    """The failures at a glance: one row each, linked to its chapter."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        rows = ["| Failure | What you see | What cures it |", "|---|---|---|"]
        for failure in catalogue.load().values():
            link = f"[{failure.title}](/book/failures/{failure.id}.md)"
            rows.append(f"| {link} | {failure.symptom} | {failure.cure} |")
        return self.parse("\n".join(rows))


class Triage(SphinxDirective):
    """The box that takes a traceback; hidden where scripts do not run. See `triage.js`."""

    BOX = """\
<form id="triage" hidden>
<label for="triage-text">Paste the traceback, or its last lines</label>
<textarea id="triage-text" rows="8" spellcheck="false" autocomplete="off"
 aria-describedby="triage-note"></textarea>
<p id="triage-note">Nothing leaves this page.</p>
<p><button type="submit">Find the chapter</button> <button type="reset">Clear</button></p>
<p id="triage-status" role="status"></p>
<ol id="triage-findings"></ol>
</form>
<script type="application/json" id="triage-rules">{rules}</script>
"""

    def run(self) -> list[nodes.Node]:
        """Return the box, with the rules in it."""
        self.env.note_dependency(str(catalogue.FILE))
        self.env.note_dependency(str(versions.FILE))
        here, there = self.env.docname, self.env.app.builder.get_relative_uri

        def address(link: str) -> str:
            page, _, section = link.lstrip("/").partition(".md")
            return link if link.startswith("https:") else there(here, page) + section

        rules = json.loads(json.dumps(publish.rules()))
        for rule in rules["failures"]:
            rule["href"] = address(publish.chapter(rule["id"]))
        for rule in rules["others"]:
            rule["href"] = address(rule["link"])
        text = json.dumps(rules).replace("<", "\\u003c")  # no rule can end the script element
        return [nodes.raw("", self.BOX.format(rules=text), format="html")]


class MessageTable(Generated):
    """Every wording in the catalogue, with the chapter that explains it."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        rows = ["| Message | Chapter |", "|---|---|"]
        for failure in catalogue.load().values():
            names = [failure.id, *failure.undecided_with]
            links = ", or ".join(f"[](/{publish.chapter(name)})" for name in names)
            for row in failure.signatures:
                claims = row.points >= catalogue.CLAIM
                rows.append(f"| {code(row)} | {'' if claims else 'Perhaps '}{links} |")
        return self.parse("\n".join(rows))


class OtherTable(Generated):
    """The well-known errors that are none of the failures."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        rows = ["| Message | What it is |", "|---|---|"]
        for other in catalogue.load_others().values():
            wordings = "<br>".join(map(code, other.signatures))
            rows.append(f"| {wordings} | {other.says} [More]({other.link}) |")
        return self.parse("\n".join(rows))


def programs() -> dict[str, tuple[str, str]]:
    """Return a short title and the chapter of each program of the matrix, chapters' own first."""
    failures = catalogue.load().values()
    own = {failure.id: (failure.short or failure.title, failure.id) for failure in failures}
    more = {name: (row["title"], row["chapter"]) for name, row in versions.companions().items()}
    return own | more


class VersionMatrix(SphinxDirective):
    """The heat map: one row a program, one column a release of NumPyro, as SVG."""

    CELL, LEFT, TOP = 28, 215, 52
    MARKS = {"fails": "✕", "wrong": "≠", "warns": "!", "ok": "", "cannot run": "-"}  # noqa: RUF012

    def run(self) -> list[nodes.Node]:
        """Return the drawing, with what it shows in words."""
        self.env.note_dependency(str(versions.FILE))
        rows = versions.rows()
        width = self.LEFT + self.CELL * len(rows) + 20
        height = self.TOP + self.CELL * len(programs()) + 40
        parts = [f'<text x="{self.LEFT - 8}" y="{self.TOP - 10}" class="end">NumPyro</text>']
        for column, row in enumerate(rows):
            place = f"translate({self.LEFT + self.CELL * (column + 0.6):.0f} {self.TOP - 8})"
            parts.append(f'<text transform="{place} rotate(-60)">{row["row"]}</text>')
        for line, (name, (title, _)) in enumerate(programs().items()):
            y = self.TOP + self.CELL * line
            middle = y + self.CELL * 0.65
            parts.append(f'<text x="{self.LEFT - 8}" y="{middle}" class="end">{title}</text>')
            for column, row in enumerate(rows):
                kind = versions.verdict(row, name)["verdict"]
                parts.append(self.cell(kind, self.LEFT + self.CELL * column, y))
        x, y = self.LEFT, height - 32
        for kind in self.MARKS:
            parts.append(self.cell(kind, x, y))
            parts.append(f'<text x="{x + self.CELL + 4}" y="{y + 18}">{kind}</text>')
            x += 62 + 7 * len(kind)
        words = ". ".join(
            f"{title} {versions.sentence(name)}" for name, (title, _) in programs().items()
        )
        drawing = (
            f'<div class="figure" tabindex="0"><svg class="figure version-matrix" role="img" '
            f'viewBox="0 0 {width} {height}" style="min-width: {width // 1.2:.0f}px" '
            f'aria-label="Heat map of verdicts by release. {words}.">{"".join(parts)}</svg></div>'
        )
        return [nodes.raw("", drawing, format="html")]

    def cell(self, kind: str, x: int, y: int) -> str:
        """Return one square, with its mark."""
        side = self.CELL - 2
        name = kind.replace(" ", "-")
        square = f'<rect x="{x}" y="{y}" width="{side}" height="{side}" rx="3"/>'
        mark = f'<text x="{x + side / 2}" y="{y + side * 0.7:.0f}">{self.MARKS[kind]}</text>'
        return f'<g class="verdict-{name}">{square}{mark}</g>'


class VersionBoundaries(Generated):
    """Each boundary: the release, what changed in it, and the pull request."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        self.env.note_dependency(str(versions.FILE))
        self.env.note_dependency(str(versions.MOVED_BY))
        rows = ["| Boundary | Failure | Moved by |", "|---|---|---|"]
        for row in versions.moved_by():
            title, page = programs()[row["failure"]]
            changes = versions.changes(row["failure"], row["library"])
            change = next(one for one in changes if one.release == row["release"])
            number = row["pull"].rpartition("/")[2]
            rows.append(
                f"| {versions.TITLES[row['library']]} {row['release']}: "
                f"{change.before}, then {change.after} "
                f"| [{title}](/{publish.chapter(page)}) "
                f"| [Pull request {number}]({row['pull']}). {row['says']} |"
            )
        return self.parse("\n".join(rows))


class VersionTable(Generated):
    """Every verdict in words, linked to its chapter, with the pins; and how it was measured."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        self.env.note_dependency(str(versions.FILE))
        record, found = versions.load(), programs()
        names = [versions.TITLES[library] for library in versions.STACK]
        head = [*names, *(f"[{title}](/{publish.chapter(page)})" for title, page in found.values())]
        rows = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
        for row in versions.rows():
            kinds = {name: versions.verdict(row, name)["verdict"] for name in found}
            cells = [row["pins"][library] for library in versions.STACK]
            cells += [
                f"[{kind}](/{publish.chapter(found[name][1])})" for name, kind in kinds.items()
            ]
            rows.append(f"| {' | '.join(cells)} |")
        controls = len(record["rows"]) - len(versions.rows())
        measured = (
            f"Measured on {record['date']}, on {' and '.join(record['platform'])} with CPython "
            f"{' and '.join(record['python'])}: {len(record['rows'])} stacks, {controls} of them "
            "controls. All pins of a stack, with hashes, are in its file in `stacks/matrix/`."
        )
        return self.parse("\n".join([*rows, "", measured]))


def code(signature: catalogue.Signature) -> str:
    """Return a wording as Markdown code."""
    text = signature.text.removeprefix(signature.type).removeprefix(": ")
    shown = f"{signature.type}: {text}" if text else signature.type
    return f"`` {shown} ``"


class Schedule(Generated):
    """A plan for a workshop, with the minutes of the chapters' front cards."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the plan's table."""
        self.env.note_dependency(str(notebooks.PLAN_FILE))
        for page in notebooks.failures():
            self.env.note_dependency(str(pages.ROOT / f"{page}.md"))
        return self.parse(notebooks.schedule_table(self.arguments[0]))


class HubTable(Generated):
    """What the load script measured on a JupyterHub, or the sizing that follows from it."""

    def run(self) -> list[nodes.Node]:
        """Return the table that the directive's name asks for."""
        self.env.note_dependency(str(sizing.FILE))
        make = sizing.sizing_table if self.name == "hub-sizing" else sizing.measured_table
        return self.parse(make(sizing.load()))


DIRECTIVES = {
    "front-card": FrontCard,
    "failure-table": FailureTable,
    "triage": Triage,
    "message-table": MessageTable,
    "other-table": OtherTable,
    "version-matrix": VersionMatrix,
    "version-boundaries": VersionBoundaries,
    "version-table": VersionTable,
    "schedule": Schedule,
    "hub-measured": HubTable,
    "hub-sizing": HubTable,
}
