"""What only the first page has: the matrix as a drawing, cards, one program twice."""

from __future__ import annotations

import html
import os
import re
from typing import ClassVar

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from bookkit import casebook, catalogue, drawings, execute, pages, records, versions
from bookkit.languages import say
from bookkit.outputs import releases, split_traceback
from trace_evidence import both, steps

from . import directives, render


class MatrixEmblem(SphinxDirective):
    """The version matrix as one small drawing: programs in columns, old stacks above new ones.

    A phone shows of each column its end, the newest stack.
    """

    STEP = 8
    SHAPES: ClassVar[dict] = {  # told apart without color
        "fails": "M0 {y}h6v6h-6z",
        "wrong": "M3 {y}m0 -1l4 4l-4 4l-4-4z",
        "warns": "M3 {y}l3 6h-6z",
        "ok": "M1 {y}m0 3h4",
    }

    def run(self) -> list[nodes.Node]:
        """Return the drawing; a column leads to the page of its program."""
        stacks, programs = len(versions.rows()), directives.programs()
        columns = "".join(self.column(slug, *about) for slug, about in programs.items())
        all_of_it = say(
            "{programs} programs on {stacks} stacks of releases, oldest above.",
            programs=len(programs), stacks=stacks,
        )  # fmt: skip
        newest = say("{programs} programs on the newest stack of releases.", programs=len(programs))
        legend = say(
            "Squares raise, diamonds give a wrong answer without an error, triangles warn, dashes "
            "are right; blank: not measured."
        )
        page = self.env.app.builder.get_relative_uri(
            self.env.docname, "book/reference/version-matrix"
        )
        drawing = (
            f'<figure class="emblem"><div role="group" aria-label="{html.escape(all_of_it)}">'
            f'{columns}</div><figcaption><span class="on-desk">{all_of_it}</span>'
            f'<span class="on-phone">{newest}</span> {legend} '
            f'<a href="{page}">{say("The version matrix")}</a></figcaption></figure>'
        )
        return [nodes.raw("", drawing, format="html")]

    def column(self, slug: str, title: str, page: str) -> str:
        """Return the drawing of a program's verdicts, which leads to the page."""
        paths: dict[str, str] = {}
        rows = versions.rows()
        for row, stack in enumerate(rows):
            kind = versions.verdict(stack, slug)["verdict"]
            place = self.SHAPES.get(kind, "").format(y=row * self.STEP)
            paths[kind] = paths.get(kind, "") + place
        drawn = "".join(f'<path class="emblem-{k}" d="{d}"/>' for k, d in paths.items() if d)
        href = self.env.app.builder.get_relative_uri(self.env.docname, page)
        words = say(title).replace("`", "") + say(": ") + casebook.occurs_in(slug)
        return (
            f'<a href="{href}" tabindex="-1" title="{html.escape(words)}"><svg aria-hidden="true" '
            f'viewBox="-2 -1 10 {len(rows) * self.STEP}">{drawn}</svg></a>'
        )


class ChapterCards(SphinxDirective):
    """A card for each chapter, with picture, symptom and message, and one for the casebook."""

    CARD = """\
<li><a class="chapter-card" href="{href}">{picture}<strong>{title}</strong></a>
<p>{text}</p>{more}</li>"""

    def run(self) -> list[nodes.Node]:
        """Return the list of cards."""
        self.env.note_reread()
        cards = []
        for failure in catalogue.load().values():
            cards.append(
                self.CARD.format(
                    href=self.address(f"book/failures/{failure.id}"),
                    picture=drawings.inline(failure.id, decorative=True),
                    title=html.escape(failure.title),
                    text=steps.marked_up(failure.symptom),
                    more=f"<code>{html.escape(failure.message, quote=False)}</code>",
                )
            )
        cases = records.load().values()
        silent = sum(case.kind == "silent" for case in cases)
        count = f'<span class="card-count" aria-hidden="true">{len(cases)}</span>'
        cards.append(
            self.CARD.format(
                href=self.address("book/cases/index"),
                picture=count,
                title=say("The casebook"),
                text=say(
                    "{count} cases, each on a page of its own. {silent} of them are silent: "
                    "no error is raised, and the answer is wrong, or time or memory is lost.",
                    count=len(cases),
                    silent=silent,
                ),
                more="",
            )
        )
        listed = "\n".join(cards)
        return [nodes.raw("", f'<ul class="chapter-cards">{listed}</ul>', format="html")]

    def address(self, page: str) -> str:
        """Return the address of a page, from the one that is built."""
        return self.env.app.builder.get_relative_uri(self.env.docname, page)


class ThenAndNow(SphinxDirective):
    """The program of a chapter that fails on the old stack, with its two outcomes as executed."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the program and, below it, what came of it on each stack."""
        path = pages.ROOT / f"{self.arguments[0]}.md"
        self.env.note_dependency(str(path))
        notebook = execute.executed(path)
        if notebook is None and os.environ.get(execute.PREVIEW):
            return []
        if notebook is None:
            raise self.error(f"{path.name} is not executed: run `make book`.")
        for cell in notebook.cells:
            if "raises" in cell.metadata.get("expect", {}).get("then", {}):
                return self.outcomes(cell)
        raise self.error(f"{path.name} has no %%both cell that raises on the old stack.")

    def outcomes(self, cell) -> list[nodes.Node]:
        """Return a cell and its two outcomes; of an error its first line."""
        data = next(o.data[both.MIME] for o in cell.outputs if both.MIME in o.get("data", {}))
        program = re.sub(r"\A%%both\n", "", cell.source)
        sides: list[nodes.Element] = []
        for name in both.SIDES:
            side = data[name]
            words = say(both.SIDES[name]) + releases(self.arguments[0], side["versions"])
            column = nodes.container(classes=["both-side", f"both-{name}"])
            column += render.mark_line([(name, words)])
            for output in side["outputs"]:
                failed = output["output_type"] == "error"
                if failed:
                    _, text = split_traceback(output["traceback"], output["evalue"])
                    text = text.splitlines()[0].rstrip(":") + " …"
                else:
                    text = output.get("text") or output["data"]["text/plain"]
                look = "error-message" if failed else "output"
                column += nodes.literal_block(text, text, language="text", classes=[look])
            sides.append(column)
        render.mark_differences(sides)
        row = render.outcomes_side_by_side(sides)
        block = nodes.literal_block(program, program, language="python3")
        return [nodes.container("", block, row, classes=["then-and-now"])]


DIRECTIVES = {
    "matrix-emblem": MatrixEmblem,
    "chapter-cards": ChapterCards,
    "then-and-now": ThenAndNow,
}
