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
    """The version matrix as one small drawing: programs in columns, old stacks above new ones."""

    STEP_X, STEP_Y = 10, 8
    SHAPES: ClassVar[dict] = {  # told apart without color
        "fails": "M{x} {y}h6v6h-6z",
        "wrong": "M{x} {y}m3 -1l4 4l-4 4l-4-4z",
        "warns": "M{x} {y}m3 0l3 6h-6z",
        "ok": "M{x} {y}m2 3h2",
    }

    def run(self) -> list[nodes.Node]:
        """Return the drawing; a column leads to the page of its program."""
        rows, programs = versions.rows(), directives.programs()
        paths: dict[str, str] = dict.fromkeys(self.SHAPES, "")
        links = ""
        for column, (slug, (title, page)) in enumerate(programs.items()):
            x = column * self.STEP_X
            for row, stack in enumerate(rows):
                kind = versions.verdict(stack, slug)["verdict"]
                place = self.SHAPES.get(kind, "").format(x=x, y=row * self.STEP_Y)
                paths[kind] = paths.get(kind, "") + place
            href = self.env.app.builder.get_relative_uri(self.env.docname, page)
            words = say(title).replace("`", "") + say(": ") + casebook.occurs_in(slug)
            words = html.escape(words)
            area = f'<rect x="{x - 2}" width="{self.STEP_X}" height="{len(rows) * self.STEP_Y}"/>'
            links += f'<a href="{href}" tabindex="-1"><title>{words}</title>{area}</a>'
        drawn = "".join(f'<path class="emblem-{k}" d="{d}"/>' for k, d in paths.items() if d)
        width, height = len(programs) * self.STEP_X, len(rows) * self.STEP_Y
        words = say(
            "{programs} programs on {stacks} stacks of releases, oldest above. Squares raise, "
            "diamonds give a wrong answer without an error, triangles warn, dashes are right; "
            "blank: not measured.",
            programs=len(programs), stacks=len(rows),
        )  # fmt: skip
        page = self.env.app.builder.get_relative_uri(
            self.env.docname, "book/reference/version-matrix"
        )
        svg = (
            f'<figure class="emblem"><svg viewBox="-2 -2 {width + 4} {height + 4}" role="group" '
            f'aria-label="{html.escape(words)}">{drawn}{links}</svg>'
            f'<figcaption>{html.escape(words)} <a href="{page}">{say("The version matrix")}</a>'
            "</figcaption></figure>"
        )
        return [nodes.raw("", svg, format="html")]


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
